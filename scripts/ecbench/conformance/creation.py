"""create: encodes an object by each profile into a folder of its own, as Ceph's tool does."""

import contextlib
import os
import pathlib
import shutil

from ecbench.conformance.encoder import TemporaryFolder, ceph_content, encode
from ecbench.terminal.console import Refused


def create(directory, encodings, program, force, progress):
    """Makes a folder in `directory` for each Encoding. Folders that are there are refused before anything is made, unless `force`
    says to replace them. Throws Refused; folders that are finished by then stay."""
    directory = pathlib.Path(directory)
    there = [encoding for encoding in encodings if os.path.lexists(directory / str(encoding))]
    if there and not force:
        more = f", and so are {len(there) - 1} more" if len(there) > 1 else ""
        raise Refused(f"'{directory / str(there[0])}' is there already{more}: --force replaces it")
    with directory_for(directory), TemporaryFolder(directory) as workshop:
        for encoding in encodings:
            progress.show(str(encoding))
            make_folder(directory / str(encoding), encoding, workshop, program)
            progress.advance()
    progress.erase()


@contextlib.contextmanager
def directory_for(directory):
    """Makes the directory, and takes it away again if nothing came to be in it."""
    is_there = directory.exists()
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(f"{directory} cannot be made: {error.strerror}") from error
    try:
        yield
    finally:
        if not is_there:
            with contextlib.suppress(OSError):  # it is not empty
                directory.rmdir()


def make_folder(folder, encoding, workshop, program):
    """The folder appears whole or not at all. Throws Refused."""
    new, old = workshop / "new", workshop / "old"
    try:
        new.mkdir()
        (new / "content").write_bytes(ceph_content(encoding.width))
        outcome = encode(program, encoding.words(), new / "content", new)
        if outcome.kind != "row":
            raise Refused(f"{encoding}: {outcome.why}")
        (new / "manifest.json").unlink(missing_ok=True)  # Ceph's corpus has none: the folder's name is the profile
        if os.path.lexists(folder):
            folder.rename(old)
        new.rename(folder)
        if old.is_dir() and not old.is_symlink():
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.unlink(missing_ok=True)
    except OSError as error:
        raise Refused(f"'{folder}' cannot be written: {error.strerror}") from error
