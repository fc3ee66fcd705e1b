"""Vectors and numbers in and out of arrays, without checks: the kernels' other half of ``lanes``.

Elements are counted flat, in C-contiguous arrays. An index is never negative; none is checked.
"""

# Numba calls these with its own types.
# mypy: ignore-errors

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils

from .lanes import F32, LANES, Vector, broadcast, llvm, llvm_element
from .rules import intrinsic


def _pointer(context, builder, array_type, array, at, to: ir.Type):
    # What ``context.make_array`` gives for a plain array, without a search for who may have another idea.
    data = cgutils.create_struct_proxy(array_type)(context, builder, array).data
    return builder.bitcast(cgutils.gep_inbounds(builder, data, at), to.as_pointer())


@intrinsic
def load(context, array, at):
    """LANES values of an array from element ``at``. int16 come as F32."""
    short = array.dtype == types.int16
    vector = F32 if short else Vector(array.dtype)

    def generate(context, builder, sig, args):
        stored = ir.VectorType(llvm_element(array.dtype), LANES)
        pointer = _pointer(context, builder, array, args[0], args[1], stored)
        value = builder.load(pointer, align=array.dtype.bitwidth // 8)
        return builder.sitofp(value, llvm(F32)) if short else value

    return vector(array, types.uintp), generate


@intrinsic
def load_quarter(context, array, at):
    """4 float32 of an array from element ``at``, in each quarter of an F32."""

    def generate(context, builder, sig, args):
        quarter = ir.VectorType(ir.FloatType(), 4)
        value = builder.load(_pointer(context, builder, array, args[0], args[1], quarter), align=4)
        return _chosen(builder, value, value, [lane % 4 for lane in range(LANES)])

    return F32(array, types.uintp), generate


@intrinsic
def store(context, array, at, value):
    """Puts a vector to an array of its element type, from ``at`` on."""

    def generate(context, builder, sig, args):
        pointer = _pointer(context, builder, array, args[0], args[1], args[2].type)
        builder.store(args[2], pointer, align=array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.uintp, value), generate


@intrinsic
def store_short(context, array, at, value):
    """Puts an F32, cut to whole numbers, to element ``at`` of an int16 array."""

    def generate(context, builder, sig, args):
        short = builder.fptosi(args[2], ir.VectorType(ir.IntType(16), LANES))
        builder.store(short, _pointer(context, builder, array, args[0], args[1], short.type), align=2)
        return context.get_dummy_value()

    return types.void(array, types.uintp, F32), generate


@intrinsic
def item(context, array, at):
    """Element ``at`` of an array."""

    def generate(context, builder, sig, args):
        kind = llvm_element(array.dtype)
        return builder.load(_pointer(context, builder, array, args[0], args[1], kind))

    return array.dtype(array, types.uintp), generate


@intrinsic
def put(context, array, at, value):
    """Sets element ``at`` of an array."""

    def generate(context, builder, sig, args):
        kind = llvm_element(array.dtype)
        builder.store(args[2], _pointer(context, builder, array, args[0], args[1], kind))
        return context.get_dummy_value()

    return types.void(array, types.uintp, array.dtype), generate


def _append(builder, pieces, pointer, at, mask, step: int):
    """Stores all pieces one over the other, stepping on after those whose bit is set: no branch to guess."""
    wide = ir.IntType(64)
    mask = builder.zext(mask, wide)
    for lane, piece in enumerate(pieces):
        place = builder.bitcast(
            builder.gep(pointer, [builder.mul(at, ir.Constant(wide, step))]), piece.type.as_pointer()
        )
        builder.store(piece, place, align=4)
        bit = builder.and_(builder.lshr(mask, ir.Constant(wide, lane)), ir.Constant(wide, 1))
        at = builder.add(at, bit)
    return at


@intrinsic
def append(context, array, at, mask, value):
    """Puts the lanes of ``value`` whose mask bit is set to elements ``at``, ``at`` + 1 …; returns their end.

    One element behind them is overwritten, too.
    """

    def generate(context, builder, sig, args):
        array_value, at, mask, value = args
        number = ir.IntType(32)
        value = builder.bitcast(value, ir.VectorType(number, LANES))
        pointer = _pointer(context, builder, array, array_value, ir.Constant(ir.IntType(64), 0), number)
        pieces = [builder.extract_element(value, ir.Constant(number, lane)) for lane in range(LANES)]
        return _append(builder, pieces, pointer, at, mask, 1)

    return types.intp(array, types.intp, types.uint32, value), generate


@intrinsic
def append_rows(context, array, at, mask, columns):
    """Puts lanes as rows of a [M, LANES] float32 array: row ``at`` on, those whose mask bit is set.

    ``columns`` is a tuple of LANES F32, so this is a transposition. Returns the end; one row behind is
    overwritten, too.
    """

    def generate(context, builder, sig, args):
        array_value, at, mask, columns = args
        zero = ir.Constant(ir.IntType(64), 0)
        pointer = _pointer(context, builder, array, array_value, zero, ir.FloatType())
        rows = _transpose(builder, cgutils.unpack_tuple(builder, columns, LANES))
        return _append(builder, rows, pointer, at, mask, LANES)

    return types.intp(array, types.intp, types.uint32, columns), generate


def _chosen(builder, a, b, lanes):
    """A vector of lanes of a, counted from 0, and of b, counted on after those of a."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), lanes))


def _transpose(builder, vectors):
    """16 vectors of 16 → their 16 columns.

    First within the quarters of a vector, which are the registers of SSE and NEON: 4 × 4 each. Then quarters
    change places.
    """

    def mixed(a, b, pattern):
        """For each quarter: lanes ``pattern`` of it, from a (0 … 3) and b (4 … 7)."""
        from_b = LANES - 4
        return _chosen(
            builder,
            a,
            b,
            [4 * quarter + (p if p < 4 else p + from_b) for quarter in range(4) for p in pattern],
        )

    quads = []  # [four vectors][lane of a quarter]: that lane of the four, for each quarter
    for m in range(0, LANES, 4):
        w, x, y, z = vectors[m : m + 4]
        low = mixed(w, x, (0, 4, 1, 5)), mixed(y, z, (0, 4, 1, 5))
        high = mixed(w, x, (2, 6, 3, 7)), mixed(y, z, (2, 6, 3, 7))
        quads.append([mixed(*pair, half) for pair in (low, high) for half in ((0, 1, 4, 5), (2, 3, 6, 7))])
    columns = []
    for quarter in range(4):
        lanes = [4 * quarter + k for k in range(4)]
        both = lanes + [LANES + k for k in lanes]
        for lane in range(4):
            left = _chosen(builder, quads[0][lane], quads[1][lane], both)
            right = _chosen(builder, quads[2][lane], quads[3][lane], both)
            columns.append(_chosen(builder, left, right, list(range(16))))
    return columns


@intrinsic
def store_block(context, array, at, stride, values):
    """Puts 4 × 4 lanes to four rows of a float32 array, ``stride`` elements apart.

    ``values`` is a tuple of one F32, or of three that are interleaved (pixels of three channels).
    """

    def generate(context, builder, sig, args):
        array_value, at, stride, values = args
        count = len(columns)
        parts = cgutils.unpack_tuple(builder, values, count)
        first_two = _chosen(builder, parts[0], parts[1 % count], list(range(2 * LANES)))
        third = _chosen(builder, parts[2 % count], parts[0], list(range(2 * LANES)))
        for row in range(4):
            pixels = [c * LANES + row + 4 * column for column in range(4) for c in range(count)]
            line = _chosen(builder, first_two, third, pixels)
            builder.store(line, _pointer(context, builder, array, array_value, at, line.type), align=4)
            at = builder.add(at, stride)
        return context.get_dummy_value()

    columns = values.types
    return types.void(array, types.uintp, types.uintp, values), generate


@intrinsic
def prefetch(context, array, at):
    """Asks for the cache line of element ``at`` of an array."""

    def generate(context, builder, sig, args):
        byte = ir.IntType(8).as_pointer()
        pointer = _pointer(context, builder, array, args[0], args[1], ir.IntType(8))
        kind = ir.FunctionType(ir.VoidType(), [byte] + [ir.IntType(32)] * 3)
        called = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch")
        read, near, data = (ir.Constant(ir.IntType(32), n) for n in (0, 3, 1))
        builder.call(called, [pointer, read, near, data])
        return context.get_dummy_value()

    return types.void(array, types.uintp), generate


@intrinsic
def bit_column(context, array, at, bit):
    """Bit ``bit`` of the 32 bytes from element ``at`` of a uint8 array, as uint32."""

    def generate(context, builder, sig, args):
        bytes32 = ir.VectorType(ir.IntType(8), 32)
        value = builder.load(_pointer(context, builder, array, args[0], args[1], bytes32), align=1)
        shift = builder.sub(ir.Constant(ir.IntType(8), 7), builder.trunc(args[2], ir.IntType(8)))
        value = builder.shl(value, broadcast(builder, shift, 32))
        negative = builder.icmp_signed("<", value, ir.Constant(bytes32, [0] * 32))
        return builder.bitcast(negative, ir.IntType(32))

    return types.uint32(array, types.uintp, types.intp), generate
