"""Vectors of 16 lanes for numba: what the kernels are written in.

Numba has no vector type, and LLVM's auto-vectoriser gives up on code as long as a projection. So vectors
are a numba type here, lowered to LLVM's own: `<16 x float>` is one AVX-512 register, two of AVX2, four of
SSE or NEON; LLVM splits it as the machine needs.

Operators ``+ - * /``, comparisons (which give a mask), ``& | ^ ~`` on masks and integers and ``<< >>`` on
integers work lane by lane, between vectors and between a vector and a number. Products and sums may be fused.

Types: ``F32`` and ``I32`` have 16 lanes, ``F64`` too (four AVX2 registers); ``Mask`` is 16 bits.
"""

# Numba calls these with its own types.
# mypy: ignore-errors

from __future__ import annotations

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_builtin, lower_cast
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, models, register_model

LANES = 16
_FUSE = ("contract", "nsz")


class Vector(types.Type):
    """LANES values of a numba number type (``boolean`` for a mask)."""

    def __init__(self, element: types.Type) -> None:
        self.element = element
        super().__init__(name=f"vector({element})")

    @property
    def is_float(self) -> bool:
        return isinstance(self.element, types.Float)


F32, F64, I32 = Vector(types.float32), Vector(types.float64), Vector(types.int32)
Mask = Vector(types.boolean)


def _llvm_element(element: types.Type) -> ir.Type:
    if isinstance(element, types.Float):
        return ir.FloatType() if element.bitwidth == 32 else ir.DoubleType()
    return ir.IntType(1 if element is types.boolean else element.bitwidth)


def _llvm(vector: Vector) -> ir.VectorType:
    return ir.VectorType(_llvm_element(vector.element), LANES)


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, _llvm(fe_type))


def _broadcast(builder, scalar, count: int = LANES):
    one = ir.VectorType(scalar.type, count)
    first = builder.insert_element(ir.Constant(one, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), count), [0] * count)
    return builder.shuffle_vector(first, ir.Constant(one, ir.Undefined), zeros)


@lower_cast(types.Number, Vector)
def _number_to_vector(context, builder, from_type, to_type, value):
    return _broadcast(builder, context.cast(builder, value, from_type, to_type.element))


# --- Operators --------------------


def _same_vector(args):
    """The vector type of an operation on two vectors, or on a vector and a number; None for others."""
    first, second = args
    if isinstance(first, Vector) and (first == second or isinstance(second, types.Number)):
        return first
    return second if isinstance(second, Vector) and isinstance(first, types.Number) else None


def _binary(emit, compares: bool, *operators) -> None:
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            vector = _same_vector(args) if len(args) == 2 else None
            return vector and signature(Mask if compares else vector, vector, vector)

    def lower(context, builder, sig, args):
        return emit(builder, sig.args[0], *args)

    for each in operators:
        infer_global(each)(type(f"Lanes_{each.__name__}", (Template,), {}))
        lower_builtin(each, Vector, Vector)(lower)


def _arithmetic(name: str):
    def emit(builder, vector, a, b):
        if vector.is_float:
            return getattr(builder, "f" + name)(a, b, flags=_FUSE)
        return getattr(builder, name)(a, b)

    return emit


def _compare(sign: str):
    def emit(builder, vector, a, b):
        if vector.is_float:
            return builder.fcmp_ordered(sign, a, b)
        return builder.icmp_signed(sign, a, b)

    return emit


for _name in ("add", "sub", "mul"):
    _binary(_arithmetic(_name), False, getattr(operator, _name), getattr(operator, "i" + _name))
_binary(_arithmetic("div"), False, operator.truediv, operator.itruediv)
for _sign, _operator in (("<", operator.lt), ("<=", operator.le), (">", operator.gt), (">=", operator.ge)):
    _binary(_compare(_sign), True, _operator)
_binary(_compare("=="), True, operator.eq)
_binary(lambda builder, _, a, b: builder.and_(a, b), False, operator.and_, operator.iand)
_binary(lambda builder, _, a, b: builder.or_(a, b), False, operator.or_, operator.ior)
_binary(lambda builder, _, a, b: builder.xor(a, b), False, operator.xor)
_binary(lambda builder, _, a, b: builder.shl(a, b), False, operator.lshift)
_binary(lambda builder, _, a, b: builder.ashr(a, b), False, operator.rshift)


class _Unary(AbstractTemplate):
    def generic(self, args, kws):
        return signature(args[0], args[0]) if isinstance(args[0], Vector) else None


infer_global(operator.neg)(type("Lanes_neg", (_Unary,), {}))
infer_global(operator.invert)(type("Lanes_invert", (_Unary,), {}))


@lower_builtin(operator.neg, Vector)
def _negative(context, builder, sig, args):
    return builder.fneg(args[0]) if sig.args[0].is_float else builder.neg(args[0])


@lower_builtin(operator.invert, Vector)
def _inverse(context, builder, sig, args):
    return builder.not_(args[0])


# --- Functions --------------------


def _math(name: str):
    """An LLVM intrinsic of one argument, lane by lane."""

    @intrinsic
    def function(context, x):
        def generate(context, builder, sig, args):
            kind = ir.FunctionType(args[0].type, [args[0].type])
            full_name = f"llvm.{name}.v{LANES}f{x.element.bitwidth}"
            return builder.call(cgutils.get_or_insert_function(builder.module, kind, full_name), args)

        return (x(x), generate) if isinstance(x, Vector) else None

    return function


sqrt, floor, absolute = _math("sqrt"), _math("floor"), _math("fabs")


def _choice(sign: str):
    """``a`` where a <sign> b, else ``b`` (so ``b`` where one is NaN): what x86's min and max do."""

    @intrinsic
    def function(context, a, b):
        vector = _same_vector((a, b))

        def generate(context, builder, sig, args):
            a, b = args
            return builder.select(_compare(sign)(builder, vector, a, b), a, b)

        return (vector(vector, vector), generate) if vector else None

    return function


minimum, maximum = _choice("<"), _choice(">")


@intrinsic
def largest(context, x):
    """The largest lane of an F32."""

    def generate(context, builder, sig, args):
        kind = ir.FunctionType(ir.FloatType(), [_llvm(F32)])
        called = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.fmax.v{LANES}f32")
        return builder.call(called, args)

    return types.float32(F32), generate


@intrinsic
def select(context, mask, a, b):
    """``a`` where the mask is set, else ``b``."""
    vector = _same_vector((a, b))

    def generate(context, builder, sig, args):
        return builder.select(*args)

    return vector(Mask, vector, vector), generate


@intrinsic
def bits(context, mask):
    """A mask as uint32, lane 0 lowest."""

    def generate(context, builder, sig, args):
        return builder.zext(builder.bitcast(args[0], ir.IntType(LANES)), ir.IntType(32))

    return types.uint32(Mask), generate


@intrinsic
def signs(context, x):
    """The sign bits of an F32 as uint32, lane 0 lowest."""

    def generate(context, builder, sig, args):
        whole = builder.bitcast(args[0], _llvm(I32))
        negative = builder.icmp_signed("<", whole, ir.Constant(whole.type, [0] * LANES))
        return builder.zext(builder.bitcast(negative, ir.IntType(LANES)), ir.IntType(32))

    return types.uint32(F32), generate


def _conversion(source: Vector, target: Vector, instruction: str):
    @intrinsic
    def function(context, x):
        def generate(context, builder, sig, args):
            return getattr(builder, instruction)(args[0], _llvm(target))

        return (target(source), generate) if x == source else None

    return function


double, single = _conversion(F32, F64, "fpext"), _conversion(F64, F32, "fptrunc")
whole, real = _conversion(F32, I32, "fptosi"), _conversion(I32, F32, "sitofp")
bits_of, float_of = _conversion(F32, I32, "bitcast"), _conversion(I32, F32, "bitcast")


@intrinsic
def lanes(context, x):
    """A number in all lanes: float32 → F32, float64 → F64, int32 → I32."""

    def generate(context, builder, sig, args):
        return _broadcast(builder, args[0])

    return Vector(x)(x), generate


def _constant(value: Vector, numbers):
    @intrinsic
    def function(context):
        def generate(context, builder, sig, args):
            return ir.Constant(_llvm(value), list(numbers))

        return value(), generate

    return function


lane_numbers = _constant(F32, [float(lane) for lane in range(LANES)])
"""0, 1 … 15."""
block_x = _constant(F32, [float(lane % 4) for lane in range(LANES)])
block_y = _constant(F32, [float(lane // 4) for lane in range(LANES)])
"""Columns and rows of a block of 4 × 4 pixels."""


# --- Memory --------------------


def _pointer(context, builder, array_type, array, at, to: ir.Type):
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(cgutils.gep_inbounds(builder, data, at), to.as_pointer())


@intrinsic
def load(context, array, at):
    """LANES values of a C-contiguous array from element ``at`` (counted flat). int16 come as F32."""
    short = array.dtype == types.int16
    vector = F32 if short else Vector(array.dtype)

    def generate(context, builder, sig, args):
        stored = ir.VectorType(_llvm_element(array.dtype), LANES)
        pointer = _pointer(context, builder, array, args[0], args[1], stored)
        value = builder.load(pointer, align=array.dtype.bitwidth // 8)
        return builder.sitofp(value, _llvm(F32)) if short else value

    return vector(array, types.uintp), generate


@intrinsic
def store(context, array, at, value):
    """Puts a vector to element ``at`` (counted flat) of a C-contiguous array of its element type."""

    def generate(context, builder, sig, args):
        pointer = _pointer(context, builder, array, args[0], args[1], args[2].type)
        builder.store(args[2], pointer, align=array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.uintp, value), generate


@intrinsic
def store_short(context, array, at, value):
    """Puts an F32, cut to whole numbers, to element ``at`` (counted flat) of an int16 array."""

    def generate(context, builder, sig, args):
        short = builder.fptosi(args[2], ir.VectorType(ir.IntType(16), LANES))
        builder.store(short, _pointer(context, builder, array, args[0], args[1], short.type), align=2)
        return context.get_dummy_value()

    return types.void(array, types.uintp, F32), generate


@intrinsic
def item(context, array, at):
    """Element ``at`` (counted flat) of a C-contiguous array; no index is negative, none is checked."""

    def generate(context, builder, sig, args):
        kind = _llvm_element(array.dtype)
        return builder.load(_pointer(context, builder, array, args[0], args[1], kind))

    return array.dtype(array, types.uintp), generate


@intrinsic
def put(context, array, at, value):
    """Sets element ``at`` (counted flat) of a C-contiguous array."""

    def generate(context, builder, sig, args):
        kind = _llvm_element(array.dtype)
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


def _transpose(builder, vectors):
    """16 vectors of 16 → their 16 columns, in steps that stay within the 128 bits of an SSE register."""

    def mixed(a, b, pattern):
        """For each quarter of four lanes: lanes ``pattern`` of it, from a (0 … 3) and b (4 … 7)."""
        indices = [4 * quarter + (p if p < 4 else LANES + p - 4) for quarter in range(4) for p in pattern]
        return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), LANES), indices))

    def halves(a, b, first):
        """Quarters ``first`` and ``first`` + 2 of a and b …"""
        chosen = [
            a_or_b * LANES + 4 * quarter + lane for quarter in first for a_or_b in (0, 1) for lane in range(4)
        ]
        return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), LANES), chosen))

    quads = []  # [four rows][lane of a quarter]
    for m in range(0, LANES, 4):
        low = [mixed(vectors[m + k], vectors[m + k + 1], (0, 4, 1, 5)) for k in (0, 2)]
        high = [mixed(vectors[m + k], vectors[m + k + 1], (2, 6, 3, 7)) for k in (0, 2)]
        quads.append(
            [mixed(*pair, pattern) for pair in (low, high) for pattern in ((0, 1, 4, 5), (2, 3, 6, 7))]
        )
    rows = [None] * LANES
    for lane in range(4):
        for first in ((0, 1), (2, 3)):
            left, right = (halves(quads[m][lane], quads[m + 1][lane], first) for m in (0, 2))
            for side in (0, 1):
                indices = [8 * side + k for k in range(8)] + [LANES + 8 * side + k for k in range(8)]
                mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), indices)
                rows[4 * first[side] + lane] = builder.shuffle_vector(left, right, mask)
    return rows


@intrinsic
def store_block(context, array, at, stride, values):
    """Puts 4 × 4 lanes to four rows of a float32 array, ``stride`` elements apart.

    ``values`` is a tuple of one F32, or of three that are interleaved (pixels of three channels).
    """

    def generate(context, builder, sig, args):
        array_value, at, stride, values = args
        count = len(columns)
        parts = cgutils.unpack_tuple(builder, values, count)
        pairs = builder.shuffle_vector(
            parts[0], parts[1 % count], ir.Constant(ir.VectorType(ir.IntType(32), 32), list(range(32)))
        )
        third = builder.shuffle_vector(
            parts[2 % count], parts[0], ir.Constant(ir.VectorType(ir.IntType(32), 32), list(range(32)))
        )
        for row in range(4):
            indices = [c * LANES + 4 * row + column for column in range(4) for c in range(count)]
            chosen = ir.Constant(ir.VectorType(ir.IntType(32), len(indices)), indices)
            line = builder.shuffle_vector(pairs, third, chosen)
            builder.store(line, _pointer(context, builder, array, array_value, at, line.type), align=4)
            at = builder.add(at, stride)
        return context.get_dummy_value()

    columns = values.types
    return types.void(array, types.uintp, types.uintp, values), generate


@intrinsic
def prefetch(context, array, at):
    """Asks for the cache line of element ``at`` (counted flat) of a C-contiguous array."""

    def generate(context, builder, sig, args):
        byte = ir.IntType(8).as_pointer()
        pointer = _pointer(context, builder, array, args[0], args[1], ir.IntType(8))
        kind = ir.FunctionType(ir.VoidType(), [byte] + [ir.IntType(32)] * 3)
        called = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        read, near, data = (ir.Constant(ir.IntType(32), n) for n in (0, 3, 1))
        builder.call(called, [pointer, read, near, data])
        return context.get_dummy_value()

    return types.void(array, types.uintp), generate


@intrinsic
def bit_column(context, array, at, bit):
    """Bit ``bit`` of the 32 bytes from element ``at`` (counted flat) of a uint8 array, as uint32."""

    def generate(context, builder, sig, args):
        bytes32 = ir.VectorType(ir.IntType(8), 32)
        value = builder.load(_pointer(context, builder, array, args[0], args[1], bytes32), align=1)
        shift = builder.sub(ir.Constant(ir.IntType(8), 7), builder.trunc(args[2], ir.IntType(8)))
        value = builder.shl(value, _broadcast(builder, shift, 32))
        negative = builder.icmp_signed("<", value, ir.Constant(bytes32, [0] * 32))
        return builder.bitcast(negative, ir.IntType(32))

    return types.uint32(array, types.uintp, types.intp), generate


@intrinsic
def trailing_zeros(context, word):
    """The place of the lowest set bit of a word that is not zero."""

    def generate(context, builder, sig, args):
        count = builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))
        return count if word.bitwidth == 64 else builder.zext(count, ir.IntType(64))

    return types.intp(word), generate
