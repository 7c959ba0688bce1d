#!/usr/bin/env bash
# build-image.sh BUNDLE.tar.gz OUTPUT: builds an OCI image that contains only a bundle. Writes the image to
# OUTPUT/ecbench-VERSION-x86_64.oci.tar. `podman load` and `docker load` can read this file. Needs buildah.
set -euo pipefail
umask 022 # the umask of the caller has no effect: all users can read the files that this script writes

bundle=$(realpath -- "$1")
output=$(realpath -- "$2")
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
name=$(basename -- "$bundle" .tar.gz)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# The image has no base image, so it needs its own /tmp. /runs is the directory for run files.
mkdir -p -- "$work/root/opt/ecbench" "$work/root/runs" "$work/root/tmp" "$work/context"
chmod 1777 "$work/root/tmp" "$work/root/runs"
tar -xzf "$bundle" -C "$work/root/opt/ecbench" --strip-components 1
tar --sort=name --owner=0 --group=0 --numeric-owner -C "$work/root" -c . | gzip -n >"$work/context/ecbench.tar.gz"
cp -- "$here/image/Containerfile" "$work/context/"
# With --isolation chroot and --storage-driver vfs, buildah also works in a CI container that has few privileges.
buildah --storage-driver vfs --root "$work/storage" --runroot "$work/run" build --isolation chroot --quiet --tag "ecbench:latest" "$work/context" >/dev/null
buildah --storage-driver vfs --root "$work/storage" --runroot "$work/run" push --quiet ecbench:latest "oci-archive:$output/$name.oci.tar:ecbench"
printf '%s\n' "$output/$name.oci.tar"
