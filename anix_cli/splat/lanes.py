"""Vectors of 16 lanes for numba: what the kernels are written in.

Numba has no vector type, and LLVM's auto-vectoriser gives up on code as long as a projection. So vectors
are a numba type here, lowered to LLVM's own: `<16 x float>` is one AVX-512 register, two of AVX2, four of
SSE or NEON; LLVM splits it as the machine needs.

Operators ``+ - * /``, comparisons (which give a mask), ``& | ~`` on masks and integers and ``<< >>`` on
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
from numba.extending import models, register_model

from .rules import TRIED_FIRST, intrinsic

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


def llvm_element(element: types.Type) -> ir.Type:
    if isinstance(element, types.Float):
        return ir.FloatType() if element.bitwidth == 32 else ir.DoubleType()
    return ir.IntType(1 if element is types.boolean else element.bitwidth)


def llvm(vector: Vector) -> ir.VectorType:
    return ir.VectorType(llvm_element(vector.element), LANES)


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, llvm(fe_type))


def broadcast(builder, scalar, count: int = LANES):
    """A number in all lanes, for who writes LLVM code."""
    one = ir.VectorType(scalar.type, count)
    first = builder.insert_element(ir.Constant(one, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), count), [0] * count)
    return builder.shuffle_vector(first, ir.Constant(one, ir.Undefined), zeros)


@lower_cast(types.Number, Vector)
def _number_to_vector(context, builder, from_type, to_type, value):
    return broadcast(builder, context.cast(builder, value, from_type, to_type.element))


# --- Operators


def _same_vector(args):
    """The vector type of an operation on two vectors, or on a vector and a number; None for others."""
    first, second = args
    if isinstance(first, Vector) and (first == second or isinstance(second, types.Number)):
        return first
    return second if isinstance(second, Vector) and isinstance(first, types.Number) else None


def _binary(emit, compares: bool, *operators) -> None:
    class Template(AbstractTemplate):
        metadata = TRIED_FIRST

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
_binary(lambda builder, _, a, b: builder.and_(a, b), False, operator.and_, operator.iand)
_binary(lambda builder, _, a, b: builder.or_(a, b), False, operator.or_, operator.ior)
_binary(lambda builder, _, a, b: builder.shl(a, b), False, operator.lshift)
_binary(lambda builder, _, a, b: builder.ashr(a, b), False, operator.rshift)


class _Unary(AbstractTemplate):
    metadata = TRIED_FIRST

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


# --- Functions


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
        kind = ir.FunctionType(ir.FloatType(), [llvm(F32)])
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


def _conversion(source: Vector, target: Vector, instruction: str):
    @intrinsic
    def function(context, x):
        def generate(context, builder, sig, args):
            return getattr(builder, instruction)(args[0], llvm(target))

        return (target(source), generate) if x == source else None

    return function


double, single = _conversion(F32, F64, "fpext"), _conversion(F64, F32, "fptrunc")
whole, real = _conversion(F32, I32, "fptosi"), _conversion(I32, F32, "sitofp")
bits_of, float_of = _conversion(F32, I32, "bitcast"), _conversion(I32, F32, "bitcast")


@intrinsic
def lanes(context, x):
    """A number in all lanes: float32 → F32, float64 → F64, int32 → I32."""

    def generate(context, builder, sig, args):
        return broadcast(builder, args[0])

    return Vector(x)(x), generate


def _constant(value: Vector, numbers):
    @intrinsic
    def function(context):
        def generate(context, builder, sig, args):
            return ir.Constant(llvm(value), list(numbers))

        return value(), generate

    return function


lane_numbers = _constant(F32, [float(lane) for lane in range(LANES)])
"""0, 1 … 15."""
block_x = _constant(F32, [float(lane // 4) for lane in range(LANES)])
block_y = _constant(F32, [float(lane % 4) for lane in range(LANES)])
"""Columns and rows of a block of 4 × 4 pixels, which are counted by columns."""


@intrinsic
def trailing_zeros(context, word):
    """The place of the lowest set bit of a word that is not zero."""

    def generate(context, builder, sig, args):
        count = builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))
        return count if word.bitwidth == 64 else builder.zext(count, ir.IntType(64))

    return types.intp(word), generate
