"""The Polyglot key of a position: 64 bits that identify it, in opening books and in searches for duplicates.

The key is the exclusive or of one published number for each piece on its square, for each castling right, for the file
of a pawn that can be taken in passing, and for the turn. Where two positions differ by few squares, as neighbours in a
game do, the key of one comes from the other's by the pieces on just these squares.
"""

from __future__ import annotations

import base64

import numpy as np

from setwise.compiler import entry, routine, trailing_zeros
from setwise.compiler.signatures import boolean, reads, uint64, void, writes
from setwise.patterns.bits import EIGHT, EMPTY, ONE, RANK_1, RANK_8, SEVEN, SIX, THREE, ZERO
from setwise.patterns.compass.steps import sideways
from setwise.rules.board import Board, board_at
from setwise.rules.pieces import piece_bits, piece_on

__all__ = ["key_of", "keys"]

#: The 781 numbers of the book format, in its order: 768 pieces on squares, 4 castling rights, 8 files, the turn.
NUMBERS = np.frombuffer(
    base64.b64decode("""
nTkkfjN3bUEq9zmABaqlx0TbAVAkYjVHnBX3PmKnauJ1g0RlSJwMiTKQrDogMAG/D7utH2EEInnoOpCP8vtgyg1+dl1YdVwQGgg4Is6v4C2WBdXw4l7D
sNAh/1zROi7VQL3xXUpnLjIBE1UUb9VjlV20gyBG89nlI5+LLX/3GcwF0aGuhbSaoWefhI9uj8lxdEm7/4Af7Qt9Ec2xw7et8ILHcJ54HrfM8yGPHJUQ
eGwzFHjzr1G75kuzjeXnIZRDqmScbrz9UPyNvZijUq/UC4fSB0uB15IXGfPHUdPpKuG0qzDwYrGav3sFAKxCBHrEyUUsqBoJ2F0kqmxRTaJ1AEyfNEJ1
AbRHFKaP1zyRCEGnG5uDRhy9kwNIi5Ww8YUPY3srNP+TwEAJ0byaPdkKlDV1ZoM0od07c14rl6TEWiMYcnBw8b1ACx/LrNJZvwLn0xCnws6bZVW/mD/g
/l2CRJ900U90VKgkUevcSrm6MDVcgsUF25qw+vz3/oo0MLJBMlOnKbm6Pd6MdMNoCBswdbm8bIcWfDPnfvSPK4MCTiAR1QXUw1G9f2Vo/KksdqJDTeCw
9A8yp7iW1pNGDMN+XULiQMtjaJ8vbSvc2uKRlmFCiAsCNuTZUV8PSliYFxu2OfiQ9Xn5L4iTxbX0c1Y4i2PcNZ2NIxt47BbKiuqYrXZTVfkAwqgtxwf7
n4VamXFCUJNBeqin7V57y8ONolp/PBn8inaM9LbUY3p3gN7PwNmCSaR67g5B93mtaVUB59HoFKy69Hd9V3bxRba+zN6hldq/KsggF1L8JMPJTfnI0/a7
bikk8DkS6gzibAuVyYDZpJzRMr+/fMTpnWYq9CQ5OSfmrXiRFlw/hTXwQLl0T/FUs/T6X0DYc3KxLDISf+0r7pVNPHtBH0eahayQmiTqoXCsTNnwTyH1
+bidPpmgdcKHs+KytckHsaNm5bjFT0i4rkqTRsw/fPIZIMBNRyZ7vYe/Asa0nirpCSI3rCN/OFn/B/ZO+O0U0I3o3KnwPMVOnBYzJk20nImz8iw9Cws4
7TkOX7RNARRLW/6ltHEnaOkeEDKRH6eJhJp0rLlk54yzT4D3oDXa+wRjBNCaCzc4xCFx5kaDAjoIW5tj65zv+AxQaqz0iYiTQhiBr8mjpwHWZQMIBEB1
BkTf05UznNv0p++SfbzwDCDyezL30eA2gOy5/XYg5zFiQwWn6KV9uRt3tYicbhVjCnVKdQoJzpVz989GTOyJmi+K9ThjnOcFuCQ8eaD/VYDvf+3myH+E
d2CdeZ6B8FvJPzGGU2uM80KKjJfXN0xgCHtzokZjfP8yhTIEP8rmDMDroJIORJU13TWecOsJOxWykMxzoZIZFlkcvVZDbJ/hoaqN76xLcGM7j4G7IVeY
1F33r0XyAELyTxdokw+A9OjrdGL/ZxL/z9deoa5iP9Z0aKpw3SxbyEvI2Px+7RINVM8t2SL+VFQBFl8cyRgA6Y+5mSmAi9aOasEDZd7EaBRbdgX2G+3j
o671MwJDU5YD1sVWAqqWm1xpHMt6qHgy05Lv7lZllCx7PH4Rrt7S1jPK0AT2IfCFcPQg5WW0FZONfalOPJG4WeWey2NQEM/zM+DtgEoortFAvgu33cXM
HYlyT6RWVkj2gPEaJ0EtJVBp8Lfas5vFo473KavU7y8FQwj2oryvIEL1zFwoWEgEErq39b4qrvOvSlY9/kMZr+Wa5FFJf1JZOAPf8ehA9PB25l8s5vAR
N5YldH1a87zl0iSGgsEVnaQkPeg2mU8Gb3CzP+CQF03E3hibZxocUQOat3EkV8PAej+Awx+0tLRu6cXmSm58s4GaQqvmHIchoAeTOlIqIC3xb3YVmKpP
djxKE3GzaP33k8RnAuCGoNcojgEq640x3jNqKkvBxEsL9pKzjQefIyxgSnoXcyazSFDnPgPrYGTPxEfx5TyOG7Bco/VkJo2ZmuGCyLyUdOik/EvU/FVY
yudVF41Y/E52abl9saTAPf75tbfErMZ8lvxqgtZLhlX7nGhMtsTSRBeOyX0pF0Vu0GcD350pJOl+xUf1fkKnRE5443ZE58rSnv6aROk2LwX6CL01zDgz
ZhWTFeXrOhKazpQGG4ceBN913x2fnXhLoBA7ule2iHG1ndK3re7e0fc/96JV2DvDc/jX9PJEjAzrgdlb6IzSEP+nM29S+P9HKOenQEnawxKscaL2G7bk
N/21TypcsH9qNbOH04C9pb94WRa59+BsRTohe6JITIoP1U7zpnjK2aLjjDmwv33eQ3ui/K9Vwb+KRCQY/PaAVz+llEwFY7ifSVrDQOCHkxoAkw2M/6lB
LrZCwWjKOQUyYRafeh7pZ9J1eeKdHWDlB29bbzgQ45m29luiMglbbUq1+bE1yrYhCd0DiqkLJEmfz6+xd6IloHzCxr1RPl5jTHDjMUNhwMo/aS8S2UGs
pEsgpFtSj3yGAsWAe1Krkr65YTmJnR36LvxVf3NyL/F19XLDSB0SYKURB/6XeiSaV+wMm6IEII/p6Pfy1loRDGBYuSCgDNmkl2WKVphW/SPI+XFaTChM
hHudiHquBP6r+722Gct0Lh5lHGC6g5qWMuZZBK08iBuCoTtRueJQbmdEzZdJJLAYPbVv/Gp5Dtm5FcZu035eEehtWHPUhPZ4ZH41GaxuG4XUiNDyDMXa
uf5lJdiQIQ0VHYattzYVqGWlTtzA8BmTxCVmrvmP+5nnr+q+AAcxSMv/CG3fKFp/m2rx6/eLr1hifhoUm7ohLNFuKr15HjPTY+/18Jd5lgzio4w0Sm7t
GoBKrbnPp0GQfzBCHXjF3lAfZe2zA00HN2JK5aSPpumVe69hcAz/TjpsJ5NOMRiK1JUDU2q8o0UIjgSVicQy4PlDruf+vyG4bDuOPjNhOdM2T2/6Rk7l
LtYPbc7cMUIiVpY7DcpBj8AW9Q7fkeUTr+8ZVZFLYJ+TVlYBwDZOMijstTk5iH6BdbrHqaGFMSlLs0TEcDl7ulJl00lU2vPOvbS4Gz+pdRHitCIGEZPW
9qcHFYJAHDhDTXoT8Yu+3E/1vECXsRbFJNJZuXiF4vLqKJkXCl3DEVVEb0IzV+fGqfkyWSjubm+HlNDkNmIosDNDVlwx996J6icw9WEUhBGUFNhz2zkS
ku1Pe9lOHY4X3rzH2fFoZKdulJR64FPuVuY8yMk4gvlHX186m/VbqR+BytmhH7s9mAjkD9IgY+3Cn8qz8lbYrKCwubAwMai0UW6ENd031YcUSK/p9ggr
BVQuTuv6+jPXJUtZklWrtQ1TIoC5q0zlfy0082k1AdYoKXVRxixY+X3ZSb/NRU+PGcUSarvoP07MK97L3IQrfigZ4jC6iRQuAHUDuKO8lB0KUGHL6fZ2
DjLNgCEJx+VSvHZJL4UvVJNNpVzJgQf8zwZPz1YJiVTVH/9lgCO3DtsZVcS/wzDeQmQw9p1HFe1D6KRcCqjX5Nq3gKCNBXK5dPA84Lu1fS6YXhQZx+jZ
7L4s89c/L+SxcXDll1ARMXuoeQXnkH+/IeyKH0XsFyXKv8sEWwCWTpFc1eKyBz4ri8vwFtZtvnRE45MooKz4WytPvN5Et0k1P+o5umOxHdAar81TSGof
yoqS/XGfhfx8ldgnNXr6GKapkMizXr3My3AFxrnCjTvbuSxDsX8mqnC1tPiWlaLpTDmlSpgwf7egsXTP9vNu1NuoRymvSK0uGLwa2XBKaC3glm2vL4sc
ucEdWx5DoH5kly1o3uMzYJRijTjQwgWE28DStquQpVnSczxDNcanL3512Z2Upw9NbO0ZgzdvpyuX/KrL8DC8JHt3SXsyUDsShUft37gcy5R5mZzf9wkC
y8/+GTlDjpskgpYm44ktldeS+uJCkfKz8WPiLBR7nDQDxni22GAoShxYc4iIUGWa5wmB3NKWqHNtn2V4mmUJpECf84/tcukFL+R57luZMFeM5/KOzS1J
7s1WwHSlgeoX/lVE99d0sUrvez8BlfxvKQ8SFTY1ssDPV39RJtu6XgynenaVbD6vtBM9V3ShHTGrOYobCDgh9Ay0e0o44yU332KVARNkbR1uA02ol5oA
QeipO8NuB491FdddChLyetMQ0X+dGi4evhMn2jo2GxxRV7Hc3X0gkD0MJTaDMzbQaPcHzmg0H3mJM4mrkJAWjdBfNEOVSzJS3CXltDjCtn+Y5ekQ3NeO
OFGkktvCerVEeCK/mzzbZfgso4K2e3iWFntMhL/O0bAEjqxQqRGbYDaf/r0f/3rICQS/RawS+xcYF+7nrwjakXfdqT0bDKuTbmXHRLVZ6x0E5ekyw3tF
s/jW8rrDqdwijKrJ6fO4tmdaZQf/n8R33k7WgdpnN42OzO+Wy23YVtlNJZI2oxnOFbC02zEHOXN1HxLdXoqOhJ6zJ4Gl4ZJccShSefV0wEvxeQwO/k3a
SBU8lJOKnSZtahzAVCx0QPuBZQjE/hMyhQPfSCKf1r97ruQ8rEBIONZfbvZ0jx4VIyjzMY3qj4QZo0jylr9yyINKWVe1EdegI6cyYLRclOvIq8+1ba6f
wQ0PmJmT4N5oojVbk8rmpEz+ea5Ti76dHYT8zjcUJVHSsast37Y2L9fkuecs04xlyluWt1UiEN1poNirO1RtYE1Rsl+/cOJzqopWT7esnhqMHpkrlBFI
qsQKJwPZvqB2Tb6uf6Tzph6ZuW5wqb6LLF6d61fvR0M6k4/uMtKZgSbm24/99a3+RpNWxQTsn53IdjxbCNGQjD9savhZ2ABVf3zDlCCjpUWb+yJ+vfTF
zokDnXnW/Fxcj+iLVzBeKragnoyMNauW3vp+OTmDMldT1rbQ7MYXxpnf6iHqnnVX47Z8H6SBaAr4yh43hannJOUc/IvtDWgWOdGNhUnRQMrqTtD+fp3J
EzXk2/BjRHP10hdh+TpE1a7+U4mOTDkQ2lVzTegYH27DmiaAsSK6oo2XKYryMchbr6t5g+7TdAhH1WbBoqGmDNiJnhfklkKj5MHttFTnutwIBVC3BMq2
AsMpTMMX+5zd0CNmtINdnq/qIiGbl+Jv/IG9Jh5OTAozOp0f4synZRfbkNdQTfqIFu27uVcfoE3Aicgd3AMlJZsn3s8/RoiAHrmq9PXQXBDKskM4tlJc
IaQrDjb2Diuk+mgA6zWTgDFz4M6cTNYlfFo2A68MMX0yraqKJY5agMcgTEuLiJ1iTUSIXfTRRZfmYPhV1DR/ZuyJQcPmme2FsN+0DSRy9iB8LQSEwqHn
tbRZrrWrT2RRzB1F7GN2dXKuPWF0pZ4L0QFzGigRbQAWy5SPCSz5yMoFL26fCwkKdWCpaOOr7t2y3eBv8VjvwQsGogaNxuV6ePvZhuAuq4ymPOgC1xSh
lWQBFvM2fAgo3WJOw5DXS7535hFqx4BEVq8Q9ftT6+nqKt9DIccDIZo57lh6MEl4f+8Xr5kkoekwDNhSBUhbReUi5LG077ScOzmVCRo21EkK1SbxRDES
qPIWr5QYwgAfg3zHNQUkGHe1HlenZNWihTuA8X9Y7pk+HectNtMQs1mAgM5kplYlL1nPDZ8Eu9I8jhdtETYAG9oEkufkWG4h4L1QJsYZvzsJetrwiPlO
jRTe2zC+hG75XP+iOvX29DhxcAdhs/dDymcrkenk+hZkyOUxv/U7VSQSYO1K0eh9EGwJuXLS6CJ/uhlUEOXKMHiE2bxstWnYBkff7c2JSiljVz/wPiJH
dE/I6VYPkbEjHblW5FAnV3m42RJ0uenU+6Lr7kfi+/zh2fHzDM2X+wnv7VPXX9ZOay5tAsNgF/Z/qapNINsITpu2S+jYslOWwXDLavfC1bzwmPB2pPei
Mi6/hEcIBeabX5TDJR8G+QzzPgA+YWplkem5JabNBCGv82G90TB8ZuMAv41RCOJ+DUgkCrV6i4iLIPyHYUuvKH4H7wLN0G/9tDKhCCwEZt9sCoIV5XcA
EzLI05u5w6SNts8nOCWWNDBcFGHPT5TJffk9G2usoq5OElt1j0UMiFcuC5WfWH1QeoNZsGPpYuBF9U1g6O1ywN/10Xtkl4VVMm+f/QgNI22oFLqMkP2b
CD9FWBBvcv6B4sWQeXYDOjn32VKk7AEydkygS3M+pwX65Pp3tNj3e8PlYWeeIfT5A7M/2Z12XkGftp9t0wwIi6Yepe9dlDN/v69/WxpOSCLrTXpZb/5z
6Btjf7Pd+Ve8Nti5ymTQ4p7qiDizCN2b39lrn2MIfnnlpX0dE+Mo4jDj4rP7HCVZ4w8JRr5yC/Xyb00uqrB3TSYcxgnbRD9k7Fo3EZVBEs9oZJomDtgT
8vq39cXKZg0yVzgIQe5ZrCx4c/kQo+hGljh3ZxoXk7Yzq/o0afjAwPWmDvTNz8ryHs1Dd7KMVyd3BxmbgXVQbBG52Q6LHdg8wmh6GSVfSinGRloxTNHt
LfISFiNQl7VjXJX/cpbiIq8AOrZy6BFS52JZa/aCNZrrozrG7MawlE9t4JE037ZsR77Ig6feOWrQR8QwoSEEpbHP26CrQGd8Rdgzr/B4YlCS75UKFtoL
kzjmnAUrjntFWktM/jDj9WsC5jGVrQz4axeyJLrWvyfR4MzSW7nBad4MiaVWua5wUAZeU1ohPPacEWn6J3e4dHjt79aUrx7tbck9lSalDmjul/RT8GeR
7TKrDttpZwPTOmhTx+cHV6cxhlztYSDzfWf++V2SYHiQHysdHxX23Jy2njiollxrZaqRGf8YTMz09DxzKHPyTBP7Sj15SpqA0jVQwjIf1hCcNx9352u4
QX5r+pquXsBXec0E8/8AGkd44yc1IgZEgMqfkVCL/8/BSgSaf0EGGp5g/La+Q6ny/psI3oocd5fam4+Yh+YHhzWhtbQHHb/HOmYjDjQ9+6CNM0Ptf1oP
rmV9Ooig+7ywXGMhh0uLTS28TxveoS419qjJU8BlxsjmNSjjSh0lDnqNa9awTTt2Ud1+XpAnfnyzni0sBG8iBi3GfbELtFkTLQomP6nd+2fi8ZkOCbiO
GRT3rxDos1rz7qs3nu3sqOJyuTPUxxi8SuiuX4FTbWARcPwgkbU0+IWBigbsgXf4P5AJeBkOcU+tpRVutZK/ObA2SWOJw1DIk659wawELnD4s4PytJtS
5Yeh7mD7FS/j/ybaiT5mbm9priwVO1ROvlRMGfnoBaHikM8kViSzPJ1+0lEX50czQnty8MEKgE0Ytwl0dVfjMG2IHttPSufWo26128stjVQyFXBkyNHm
Sd4efyaLijKKHO3+VSwHo67HliTH2oRUfdw+IDyUmQqY/VBx0mMaT/EmFu78ifb3/RQxcUIAMMBbG6My9ByNJja4FVWnhkbJ/rVdEgkCzOwKc7ScmSFO
nSgnNV/EkhnrsClDXcsPRlnSt0OEiiyWPvLJazO+MXT4UZiwWi59Wg9UTdKx+xgDcnBzwuE0scf2qi3lmuphNSeHuqDXwi+YU+q2O14LNau9zdftXAhg
zwXa9ayNd7BJytSM6/SnHnpMEOwhWMSm2ekqoka/cZ4TrpeNCf5VV3MEma+SFUn/TktwW5KQO6T/V3IiwU8KOlW2NEz5eq+uuGIiWwVbaWDKwJr73dLN
tNr46YKf6Wtftf38XTEyxJgxDLOA2291A+h/u0YhejYOIQKuRm67EUj4VJ4aOqXgDQemmv3MQiYaxMEYv+eP6q759Iku2WvUOBrz2+Jdj0Xa9bSwsNLe
7rSWKs7vqC4chARuPsqvRTzp8F0SloGUmkyWR4HOc0s8hJwu1ECBzl+9Ui4j85JeMZ4XfgD5/DL3kSvGCmOm87PyIiu/rmFyVgZIYondzD1ngH3HeFuO
/fyAivOHMcArqYAfq2TqKaLd9+TZQpMizQZanaBYxnhE8gwkwOMytwAZsCMwA7Wmz+at1Ya9AcXCF/ZeVjeIXym8K366cm2MlAlLClal8L/jknLXlHao
TuINBp5MEmm6pL83F+/uRbDe5kAdlbCl/PkLxpPL4LaZwlhdZfpPInorbXnV+ehYKSUE1cK1oD9xRxpvWTACIrRWHgDOL4ZCygcS3Hypcj+7LomIJ4Uz
g0fyugjGG7OhQeUOjBUPNh2rnewmn2pBnTgllfRkpT3JJP56yRQt5J//enw9DDNSSIV/qecKnDLV6uRTBebEIXjEu7kucfHOJJDSCwfxvMPSda/lGuco
6Mg8M0B0lvv4OhKIRiSBoVSf1lc9pV+nhnyvNeFJVphuLvPtCRuRfx3V+IhsYdINjIjI/+ZfMdcdzmSywxDxZbWH34mBkKV+YzndLPOgHvbm27GWHslw
zHPZC8JuJOIaazXfDDrXADqT2LKAaWIcmd7TPLiQoc8xRd4K3UKJ0ORCelUU+3J3xiHMn7Okg2ejTaxDVlUL+NYmqq8nhQk=
"""),
    ">u8",
).astype(np.uint64)

#: The number of a piece at ``(piece | white << 3) << 6 | square``; zero for no piece, which changes no key.
_NUMBER_OF = np.zeros(16 * 64, np.uint64)
_NUMBER_OF[64:448] = NUMBERS[:768].reshape(6, 2, 64)[:, 0].ravel()
_NUMBER_OF[576:960] = NUMBERS[:768].reshape(6, 2, 64)[:, 1].ravel()
_WHITE_SHORT, _WHITE_LONG, _BLACK_SHORT, _BLACK_LONG = NUMBERS[768:772]
_FILES, _TURN = NUMBERS[772:780].copy(), NUMBERS[780]

_EMPTY_BOARD = Board(*[EMPTY] * 10)


@routine
def _number_on(board, bits, square):
    """The number of the piece on a square, zero if it is empty."""
    return _NUMBER_OF[(piece_on(bits, square) | (board.own >> square & ONE) << THREE) << SIX | square]


@routine
def _difference(before, after):
    """The exclusive or of the keys of two boards' pieces, as White sees them."""
    old, new = piece_bits(before), piece_bits(after)
    changed = (old[0] ^ new[0]) | (old[1] ^ new[1]) | (old[2] ^ new[2]) | (before.own ^ after.own)
    key = ZERO
    while changed != EMPTY:
        square = trailing_zeros(changed)
        key ^= _number_on(before, old, square) ^ _number_on(after, new, square)
        changed &= changed - ONE
    return key


@routine
def _castling(rooks, king, short, long):
    """The numbers of one side's rights: a rook east of the king castles short, in Chess960 too."""
    rooks *= np.uint64(king != EMPTY)
    return short * np.uint64(rooks > king) ^ long * np.uint64(rooks & (king - ONE) != EMPTY)


@routine
def _situation(board, white_to_move):
    """The key without the pieces; a passed square counts only if a pawn stands beside the pawn that passed it."""
    kings = board.kings
    white, black = board.own & kings & RANK_1, board.enemy & kings & RANK_8
    key = _castling(board.castling & RANK_1, white, _WHITE_SHORT, _WHITE_LONG)
    key ^= _castling(board.castling & RANK_8, black, _BLACK_SHORT, _BLACK_LONG)
    passed, captors = board.en_passant, board.pawns
    if white_to_move:
        key ^= _TURN
        passed, captors = passed >> EIGHT, captors & board.own
    else:
        passed, captors = passed << EIGHT, captors & board.enemy
    if sideways(passed) & captors != EMPTY:
        key ^= _FILES[trailing_zeros(passed) & SEVEN]
    return key


@routine
def key_of(board, white_to_move):
    """The key of a board as White sees it."""
    return _difference(_EMPTY_BOARD, board) ^ _situation(board, white_to_move)


@entry(
    void,
    reads(uint64, 2), reads(boolean),
    writes(uint64),
)  # fmt: skip
def keys(sets, white_to_move, out):
    """Write the key of each position, computed from the key of the one before and the pieces that differ."""
    before, pieces = _EMPTY_BOARD, ZERO
    for k in range(out.size):
        board = board_at(sets, k)
        pieces ^= _difference(before, board)
        out[k] = pieces ^ _situation(board, white_to_move[k])
        before = board
