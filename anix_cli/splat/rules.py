"""Numba's rules for numbers and arrays, tried before those that it has for strings, lists, sets and so on.

Numba asks all rules of an operator in turn, those made for a target first. Most of the time that it took to
find the types of a kernel went by in rules for what no kernel has.
"""

# Numba calls these with its own types.
# mypy: ignore-errors

from __future__ import annotations

import operator

import numba
from numba import types
from numba.core import imputils
from numba.core.typing import arraydecl, builtins
from numba.core.typing.templates import AbstractTemplate, builtin_registry, infer_global, signature

KNOWN = numba.__version__.split(".")[:2] == ["0", "68"]
"""Whether this numba's insides are those that this module and ``pipeline.py`` were tried with. By any other,
kernels are compiled as numba does it by itself, which takes longer and gives the same pictures."""
TRIED_FIRST = {"target": "cpu"}
_OPERATORS = {bool, *(each for each in vars(operator).values() if callable(each))}


def intrinsic(definition):
    """As ``numba.extending.intrinsic``, a little faster to compile."""
    if not KNOWN:
        return numba.extending.intrinsic(definition)
    from numba.core.typing.templates import _IntrinsicTemplate
    from numba.extending import _Intrinsic

    class Rule(_IntrinsicTemplate):
        def _get_target_registry(self, reason):
            # Numba's gives the same, but first looks through all its modules for what is new, at each call.
            return imputils.builtin_registry

    made = _Intrinsic(definition.__name__, definition)
    own = {
        "key": made,
        "_definition_func": staticmethod(definition),
        "_impl_cache": {},
        "_overload_cache": {},
    }
    infer_global(made, types.Function(type(f"Intrinsic_{definition.__name__}", (Rule,), own)))
    return made


def _prefer(function, rule) -> None:
    infer_global(function)(type(f"First{rule.__name__}", (rule,), {"metadata": TRIED_FIRST}))


def _prefer_known() -> None:
    for function, kind in list(builtin_registry.globals):
        if isinstance(kind, types.Function) and function in _OPERATORS:
            for template in kind.templates:
                rule = template.__base__
                if rule.__module__ in (builtins.__name__, arraydecl.__name__):
                    _prefer(function, rule)


class _Extreme(AbstractTemplate):
    """The least or greatest of some numbers; numba's own compiles a function for each list of types."""

    def generic(self, args, kws):
        if len(args) < 2 or not all(isinstance(arg, types.Integer | types.Float) for arg in args):
            return None
        number = self.context.unify_types(*args)
        return number and signature(number, *[number] * len(args))


def _lower_extreme(function, compare) -> None:
    @imputils.lower_builtin(function, types.Number, types.VarArg(types.Number))
    def lower(context, builder, sig, args):
        number = sig.return_type
        beyond = context.get_function(compare, signature(types.boolean, number, number))
        best = args[0]
        for other in args[1:]:
            # As Python: the first, unless another is beyond it.
            best = builder.select(beyond(builder, (other, best)), other, best)
        return best

    _prefer(function, _Extreme)


def try_first() -> None:
    """Puts these rules first, from now on."""
    if not KNOWN:
        return
    _prefer_known()
    _lower_extreme(min, operator.lt)
    _lower_extreme(max, operator.gt)
