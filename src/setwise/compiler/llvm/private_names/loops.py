"""NumPy's ufuncs of loops in machine code: in public, Numba makes ufuncs of functions on single items only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core.ccallback import CFunc
from numba.np.ufunc import _internal

__all__ = ["compiled_loop", "ufunc_of"]


def compiled_loop(loop: Any, signature: Any, options: dict[str, Any]) -> Any:
    """Compile a loop to a function that C can call, and return the result of the compilation, for a cache to keep."""
    call = signature.args, signature.return_type
    return CFunc(loop, call, {}, {"nopython": True} | options)._compile_uncached()


def ufunc_of(compiled: Any, function: Any, dtypes: list[np.dtype[Any]]) -> np.ufunc:
    """Return the ufunc that runs a compiled loop; it has the name and the docstring of a function.

    ``dtypes`` are those of the arguments and of the one result.
    """
    address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)
    return _internal.fromfunc(
        function.__name__,
        function.__doc__,
        [address],
        [[dtype.num for dtype in dtypes]],
        len(dtypes) - 1,
        1,
        [None],
        [compiled.library],
        _internal.PyUFunc_None,
    )
