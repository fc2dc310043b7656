"""Which of the two files that `save` keeps is taken: the newest that passes, checksum and proof.

`path` is the newest when it is whole, `path~` the previous model or the same one: see image.py. A power cut
tears a file, and its checksum says so. What else can go wrong with one (worn flash, another program, a bug of
ours) the proof finds. In all these cases the other file is taken, and `restored()` tells why; when neither
passes, one ImageError names both reasons.

A file that is whole but of a newer format, or of a class that is not installed here, is not damaged. Then
`load` refuses, and takes no older model: the next save of that one would write over the newer one.
"""

import gc

from .image import (
    _CHUNK,
    _HEAD,
    Foreign,
    _check_head,
    _check_header,
    _prove,
    _read,
    _stored,
    _whole,
    as_str,
    refuse,
    twin,
)
from .model import ImageError

_DAMAGED = "damaged: the checksum does not match the content"
_GONE = "there is no such file"

_of = 0  # the id of the model that `load` had to take from the other file, and why
_why = ""


def _with(path, step):
    with open(path, "rb") as f:
        return step(f)


def _tidy():
    """On a board, collect garbage: the arrays that come next need free heap in one piece."""
    if hasattr(gc, "mem_free"):
        gc.collect()


def _check_whole(f):
    """Read the whole file; return its checksum, which matches the content, or raise ImageError."""
    crc = _whole(f, bytearray(_CHUNK))
    if crc is None:
        f.seek(0)
        try:
            _check_head(f.read(_HEAD))
        except Foreign as error:  # its head says so; but the file is torn, whatever it was
            raise ImageError(str(error))
        raise ImageError(_DAMAGED)
    return crc  # an object on a board: kept while arrays are made, it would lie between them


def load(path):
    """The model saved at `path`, or the previous one when the newest does not pass: see `restored`.

    Raises OSError when there is no such file, and ImageError, which says what is wrong, for anything that
    `save` can't have written.
    """
    global _of, _why
    path = as_str(path)
    model, why = _try(path)
    if not why:
        return model
    model, other = _try(twin(path))
    if not other:
        refuse(_stored(path, bytearray(_CHUNK)))
        _of = id(model)
        _why = "%s: %s" % (path, why)
        return model
    if other == _GONE:
        if why == _GONE:
            open(path, "rb").close()  # raises what says so
        raise ImageError(why)
    raise ImageError("%s: %s; %s: %s" % (path, why, twin(path), other))


def _try(path):
    """The model in one file and "", or None and why."""
    try:
        # Each step opens the file anew: on a board it has a buffer, which must not lie between the arrays.
        _with(path, _check_whole)
        scratch = _with(path, _check_header)
        _tidy()
        model = _with(path, _read)
        _tidy()
        return _prove(model, scratch), ""
    except Foreign:
        raise
    except ImageError as error:
        why = str(error)
    except OSError:
        why = _GONE
    model = None  # frees the arrays that did not pass, before the next ones are made
    _tidy()
    return None, why


def restored(self):
    """Why `load` took the previous model for this one; "" when it took the newest, or none."""
    return _why if _of == id(self) else ""
