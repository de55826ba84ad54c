"""Pictures as PNG, through a library where one is installed."""

from __future__ import annotations

__all__ = ["png"]


def png(svg: str, *, scale: float = 2) -> bytes:
    """Return an SVG document as the bytes of a PNG.

    Args:
        svg: an SVG document, such as ``board_svg`` and ``heatmap`` return.
        scale: how many pixels of the PNG one pixel of the SVG becomes.

    Raises:
        ImportError: resvg_py, which draws it, is not installed: ``pip install 'setwise[png]'``.
        ValueError: for a text that is not SVG, or a scale out of 0 to 16.

    Example:
        >>> picture = view.png(view.board_svg(marks="e4"))
        >>> picture[1:4]
        b'PNG'
    """
    if not 0 < scale <= 16:
        raise ValueError(f"a scale is a number above 0 and up to 16, not {scale}")
    try:
        import resvg_py
    except ImportError as error:
        raise ImportError("PNG needs resvg_py: pip install 'setwise[png]'") from error
    try:
        return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=scale))
    except (ValueError, RuntimeError) as error:
        raise ValueError(f"this is not SVG: {error}") from None
