"""Operations of compiled code that Python has no words for, as descriptions: nothing is compiled or imported here.

A definition calls them by name. Numba finds what it compiles them to by ``_numba_type_``; the code that makes their
instructions is in ``llvm``, in the module and under the name by which an operation is described.
"""

from __future__ import annotations

from typing import Any, NoReturn

from setwise.compiler.signatures import MADE

__all__ = ["InCompiledCode", "Operation"]


class InCompiledCode:
    """A thing that only compiled code calls; Numba asks for its type, and a call from Python is refused."""

    name: str

    def __call__(self, *_: Any) -> NoReturn:
        """Refuse a call from Python."""
        raise TypeError(f"{self.name} is for compiled code: call it from an entry or a pattern")

    @property
    def _numba_type_(self) -> Any:
        return MADE.targets.type_of(self)


class Operation(InCompiledCode):
    """An operation, by its place in ``llvm``; with parameters, what its maker there returns for them."""

    def __init__(self, name: str, *parameters: Any) -> None:
        self.name, self.parameters = name, parameters

    def __repr__(self) -> str:
        return f"<operation {self.name}>"
