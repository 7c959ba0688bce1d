"""create: encodes an object with each profile. Each encoded object has its own directory, in the layout of
ceph_erasure_code_non_regression."""

import contextlib
import os
import pathlib
import tempfile
from collections.abc import Iterator, Sequence

from ecbench.conformance.encoder import ceph_content, encode
from ecbench.conformance.folder_name import Encoding
from ecbench.measure.ecbench import Ecbench
from ecbench.terminal.console import Refused
from ecbench.terminal.progress import Progress


def create(directory: pathlib.Path, encodings: Sequence[Encoding], program: Ecbench, force: bool, progress: Progress) -> None:
    """Makes a directory in `directory` for each encoding. Throws Refused if one exists, unless `force`. After an error, complete
    directories are kept."""
    existing = [directory / str(encoding) for encoding in encodings if os.path.lexists(directory / str(encoding))]
    if existing and not force:
        more = f" (and {len(existing) - 1} more)" if len(existing) > 1 else ""
        raise Refused(f"'{existing[0]}' exists already{more}; --force replaces existing directories")
    with working_folder(directory) as workshop:
        for encoding in encodings:
            progress.show(str(encoding))
            make_folder(directory / str(encoding), encoding, workshop, program)
            progress.advance()
    progress.close()


@contextlib.contextmanager
def working_folder(parent: pathlib.Path) -> Iterator[pathlib.Path]:
    """A directory in `parent`, so that its files can be moved to `parent` by renaming. Makes `parent`; removes it if it is empty at
    the end, unless it existed before."""
    is_new = not parent.exists()
    try:
        parent.mkdir(parents=True, exist_ok=True)
        workshop = tempfile.TemporaryDirectory(prefix=".ecbench-conformance-", dir=parent, ignore_cleanup_errors=True)
    except OSError as error:
        raise Refused(f"a directory cannot be created in {parent}: {error.strerror}") from error
    try:
        with workshop as path:
            yield pathlib.Path(path)
    finally:
        if is_new:
            with contextlib.suppress(OSError):  # not empty
                parent.rmdir()


def make_folder(folder: pathlib.Path, encoding: Encoding, workshop: pathlib.Path, program: Ecbench) -> None:
    """Makes the directory `folder` with all its files; only then it replaces one that exists. Throws Refused and WrongBytes."""
    content, new = workshop / "content", workshop / "new"
    try:
        content.write_bytes(ceph_content(encoding.width))
        encode(program, encoding.words(), content, new, str(encoding))
        content.rename(new / "content")
        (new / "manifest.json").unlink(missing_ok=True)  # Ceph's corpus has no manifests: directory names contain the profiles
        if os.path.lexists(folder):
            folder.rename(pathlib.Path(tempfile.mkdtemp(dir=workshop), folder.name))
        new.rename(folder)
    except OSError as error:
        raise Refused(f"'{folder}' cannot be written: {error.strerror}") from error
