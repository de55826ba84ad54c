"""What setwise needs of Numba and llvmlite that has no public name, one file each.

``tests/test_private_names.py`` fails with a sentence when a release makes one of these files superfluous.
"""
