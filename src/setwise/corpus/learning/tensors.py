"""Batches for torch, which is imported at the first use."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from setwise.corpus.learning.training import FIELDS, batches, checked_part
from setwise.corpus.sources.expansion import Source

if TYPE_CHECKING:
    import torch

__all__ = ["torch_dataset"]


def torch_dataset(
    sources: Source | Iterable[Source],
    fields: str | Iterable[str] = FIELDS,
    *,
    seed: int | None = None,
    threads: int | None = None,
    part: tuple[int, int] = (0, 1),
    **options: Any,
) -> torch.utils.data.IterableDataset[dict[str, torch.Tensor]]:
    """Return the batches of ``setwise.batches`` as an ``IterableDataset`` of dicts of tensors.

    A ``DataLoader`` takes it with ``batch_size=None``, since a batch is made already. Its workers share the sources:
    every position comes once an epoch, whatever their number.

    Args:
        sources: as for ``batches``; paths where there are workers, since a stream cannot be read by several.
        fields: as for ``batches``.
        seed: the same batches in every epoch; None, the default, leaves it to torch: ``torch.manual_seed`` repeats a
            training, and its epochs differ.
        threads: how many in each process; by default one in a worker, else as many as there are processors.
        part: ``(rank, world_size)`` where several processes train together; workers share their process's part.
        options: ``where``, ``files``, ``blend``, ``size``, ``shuffle``, ``dtype`` and ``on_fault``, as for ``batches``.

    Raises:
        ImportError: torch is not installed.
        ValueError: ``part`` is out of its range; what ``batches`` raises comes when the first batch is asked for.

    Example:
        >>> import setwise
        >>> dataset = setwise.torch_dataset("games/*.pgn.zst", where="result <> '*'")  # doctest: +SKIP
        >>> loader = torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=4)  # doctest: +SKIP
    """
    try:
        import torch
        from torch.utils.data import IterableDataset, get_worker_info
    except ImportError as error:
        raise ImportError("torch_dataset needs torch: pip install 'setwise[ml]'") from error
    (number, count), names = checked_part(part), [fields] if isinstance(fields, str) else list(fields)
    again = functools.partial(torch_dataset, sources, names, seed=seed, threads=threads, part=part, **options)

    class Batches(IterableDataset[dict[str, torch.Tensor]]):
        """Batches of ``setwise.batches``."""

        def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
            worker = get_worker_info()
            chosen = int(torch.randint(2**63 - 1, ())) if seed is None else seed
            share = (0, 1) if worker is None else (worker.id, worker.num_workers)
            several = 1 if worker is not None and threads is None else threads
            for batch in batches(
                sources, names, seed=chosen, threads=several,
                part=(number * share[1] + share[0], count * share[1]), **options,
            ):  # fmt: skip
                yield {name: torch.from_numpy(values) for name, values in batch.items()}

        def __reduce__(self) -> tuple[Any, ...]:
            return again, ()

    return Batches()
