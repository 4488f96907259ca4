# A fresh Debian in a folder of its own, for tools/bare and tools/trydeb, which source this. Needs root and debootstrap.
#
#   $tool         who says things
#   SUITE=trixie  Debian 13; without it bookworm, Debian 12
#   BARE_KEEP=1   leaves the folder behind
#   BARE_CACHE=D  keeps the fresh Debian as D/SUITE.tar, and takes it from there the next time
#
# The mirror, the proxy settings and the trusted certificates are those of this machine. The folder is $root;
# `inside COMMAND` runs something there, `enter COMMAND` becomes it. Everything goes when the script ends.

fail() {
    echo "$tool: $*" >&2
    exit 1
}

[ "$(id -u)" = 0 ] || fail "needs root"
command -v debootstrap >/dev/null || fail "needs debootstrap"

suite=${SUITE:-bookworm}
# A mirror of Debian has all its suites, each under its name; those for updates and security are others.
mirror=$(apt-get indextargets --format '$(SITE) $(CODENAME) $(CREATED_BY)' |
    awk '$2 ~ /^[a-z]+$/ && $3 == "Packages" { print $1; exit }')
[ -n "$mirror" ] || fail "apt on this machine knows no mirror of Debian"

root=$(mktemp -d "${TMPDIR:-/var/tmp}/witan-$tool.XXXXXX")
# It becomes the root folder of other users too, such as those of apt and PostgreSQL.
chmod 755 "$root"

# Ends what still runs in the folder, and nothing else, before it is taken away.
cleanup() {
    trap - EXIT INT TERM HUP
    for proc in /proc/[0-9]*; do
        [ "$(readlink "$proc/root")" != "$root" ] || kill -9 "${proc#/proc/}" 2>/dev/null || :
    done
    for mount in dev/pts dev/shm proc; do
        umount -l "$root/$mount" 2>/dev/null || :
    done
    if [ "${BARE_KEEP:-0}" = 1 ]; then
        echo "$tool: kept in $root"
    elif ! grep -q " $root/" /proc/mounts; then
        rm -rf --one-file-system "$root"
    fi
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

# Becomes a command in the folder: called in the background, its process id is the command's own.
enter() {
    exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        LC_ALL=C.UTF-8 $passed_on "$@"
}

inside() {
    (enter "$@")
}

# The settings by which this machine reaches its mirrors, as far as there are any.
passed_on=
for name in http_proxy https_proxy no_proxy npm_config_registry PIP_INDEX_URL; do
    value=$(eval "echo \"\${$name:-}\"")
    [ -z "$value" ] || passed_on="$passed_on $name=$value"
done

make_root() {
    kept=${BARE_CACHE:+$BARE_CACHE/$suite.tar}
    if [ -n "$kept" ] && [ -e "$kept" ]; then
        tar -C "$root" -xf "$kept"
        return
    fi
    debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" 2>&1 || {
        tail -n 20 "$root.log" >&2
        rm -f "$root.log"
        fail "debootstrap failed"
    }
    rm -f "$root.log"
    if [ -n "$kept" ]; then
        mkdir -p "$BARE_CACHE"
        tar -C "$root" -cf "$kept.new" . && mv "$kept.new" "$kept"
    fi
}

echo "$tool: making a Debian $suite in $root"
make_root
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t devpts -o ptmxmode=666 devpts "$root/dev/pts"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
certificates=/etc/ssl/certs/ca-certificates.crt
if [ -f "$certificates" ]; then
    cp -L "$certificates" "$root/etc/machine-certificates.crt"
    passed_on="$passed_on NODE_EXTRA_CA_CERTS=/etc/machine-certificates.crt PIP_CERT=/etc/machine-certificates.crt"
fi
inside apt-get -qq update
