#!/bin/sh
# Sourced, not run, by the CI jobs that work in a Debian root made with debootstrap. Some use Debian 13 with backports, the
# nearest thing to Alpine that apt-get can make, or Debian unstable: make_root, inside, beside. Others begin with a bare root of
# either system: make_base, enter. Needs root. The job sets `lane` (its name) and `root` (the directory), or `roots` (that of the
# bare ones), and for steps `system` and `log` (a file). Everything is mounted in a mount namespace of its own, so that nothing
# stays mounted however it ends.
# shellcheck shell=sh disable=SC2154,SC2034  # lane and root are the sourcing script's, and what is counted

# The mirror that this machine's own apt-get uses.
debian_mirror() {
    # shellcheck disable=SC2016  # apt-get expands $(REPO_URI)
    apt-get indextargets --format '$(REPO_URI) $(LABEL)' 'Created-By: Packages' |
        awk '$2 == "Debian" { print $1; exit }'
}

# configure_apt ROOT: apt-get there reaches its mirror as on this machine, and no package starts a service.
configure_apt() {
    apt-config dump | grep -E '^Acquire::(Check-|http|https)' >"$1/etc/apt/apt.conf.d/90lane" || true
    printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
    chmod 755 "$1/usr/sbin/policy-rc.d"
    cp /etc/resolv.conf "$1/etc/resolv.conf"
}

# Runs a command in the root with its own /proc, /run, /dev/shm and terminals, and this machine's /sys, where PoCL counts
# the memory. The directory LLMD_DATA, if set, is /data there.
inside() {
    # shellcheck disable=SC2016  # the inner shell expands its own arguments
    unshare --mount --pid --fork --kill-child --propagation private sh -c '
        root=$1
        shift
        mount --bind "$root" "$root"
        mount -t proc proc "$root/proc"
        mount -t sysfs -o ro sysfs "$root/sys"
        mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$root/dev/pts"
        mount -t tmpfs -o mode=755 tmpfs "$root/run"
        mkdir -p "$root/dev/shm"
        mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
        if [ -d "$root/data" ] && [ -n "${LLMD_DATA-}" ]; then
            mount --bind "$LLMD_DATA" "$root/data"
            mount -o remount,bind,ro "$root/data"
        fi
        # Not chroot: a process in one may not make a user namespace, and a test does.
        cd "$root"
        mkdir -p .outside
        pivot_root . .outside
        umount -l /.outside
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
    ' sh "$root" "$@"
}

# beside COMMAND...: runs a command of this system that enters the root with chroot, where it finds /proc, /dev and, as /tests,
# this tree's tests.
beside() {
    # shellcheck disable=SC2016  # the inner shell expands its own arguments
    unshare --mount --propagation private sh -c '
        root=$1
        shift
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mkdir -p "$root/tests"
        mount --bind tests "$root/tests"
        exec "$@"
    ' sh "$root" "$@"
}

# make_root PACKAGES [NEWER_PACKAGES [SUITE]]: makes the root once, with a user `lane`, and brings it up to date when the lists
# change. NEWER_PACKAGES come from trixie-backports where it has them. SUITE is trixie or sid.
make_root() {
    suite=${3:-trixie}
    mirror=$(debian_mirror)
    [ -n "$mirror" ] || {
        echo "lane $lane: apt-get knows no Debian mirror here"
        return 1
    }
    if [ ! -e "$root/etc/debian_version" ]; then
        echo "lane $lane: making $root"
        mkdir -p "$root"
        debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" 2>&1 || {
            tail -n 20 "$root.log"
            rm -rf "$root"
            return 1
        }
    fi
    wanted="$mirror $1 ${2-}"
    [ "$(cat "$root/var/lib/llmd-lane" 2>/dev/null)" != "$wanted" ] || return 0
    echo "lane $lane: installing packages"
    printf 'deb %s %s main\n' "$mirror" "$suite" >"$root/etc/apt/sources.list"
    [ -z "${2-}" ] || printf 'deb %s %s-backports main\n' "$mirror" "$suite" >>"$root/etc/apt/sources.list"
    configure_apt "$root"
    install_packages "$1" "${2-}" >"$root.log" 2>&1 || {
        tail -n 20 "$root.log"
        echo "lane $lane: the packages could not be installed; all of it is in $root.log"
        return 1
    }
    echo "$wanted" >"$root/var/lib/llmd-lane"
}

install_packages() {
    inside apt-get update -q || return 1
    # shellcheck disable=SC2086  # lists of words
    inside apt-get install -q -y --no-install-recommends $1 || return 1
    # shellcheck disable=SC2086
    [ -z "$2" ] || inside apt-get install -q -y --no-install-recommends -t "$suite-backports" $2 ||
        inside apt-get install -q -y --no-install-recommends $2 || return 1
    grep -q '^lane:' "$root/etc/passwd" || inside useradd --create-home lane
}

# The working tree, without what git ignores, as /home/lane/llmd; times are kept, so that only what changed is compiled again.
copy_tree() {
    rm -rf "$root/home/lane/llmd"
    mkdir -p "$root/home/lane/llmd" "$root/data"
    if [ -e .git ]; then
        git -c safe.directory='*' ls-files --cached --others --exclude-standard -z |
            tar --create --null --files-from=- --ignore-failed-read --file=- 2>/dev/null
    else
        tar --create --exclude='./build*' --file=- .
    fi | tar --extract --file=- --directory="$root/home/lane/llmd"
    inside chown -R lane:lane /home/lane
}

# An ordinary user runs a command, as in a distribution's build. It starts in /, with the variables given as NAME=VALUE first.
inside_as_user() {
    inside setpriv --reuid lane --regid lane --init-groups --reset-env env "$@"
}

# copy_programs PROGRAM...: from the build directory $build to $programs in the root, with what its loader does not find of their
# libraries, in $programs/lib.
copy_programs() {
    for program in "$@"; do
        cp "$build/$program" "$root$programs/"
        ldd "$build/$program" | awk '$2 == "=>" { print $1, $3 }' | while read -r name path; do
            inside ldconfig -p | grep -q "^[[:blank:]]$name " || cp -L "$path" "$root$programs/lib/$name"
        done
    done
}

# What Docker and Podman leave to root in a container.
capabilities=chown,dac_override,fowner,fsetid,kill,setgid,setuid,setpcap,net_bind_service,net_raw,sys_chroot,mknod,audit_write,setfcap

# enter ROOT RIGHTS SCRIPT: runs it in the root with a container's own /proc, /dev/shm and terminals.
enter() {
    # shellcheck disable=SC2016  # the inner shell expands its own arguments
    unshare --mount --pid --fork --kill-child --propagation private sh -c '
        set -e
        mount --bind "$1" "$1"
        mount -t proc proc "$1/proc"
        mount -t sysfs -o ro sysfs "$1/sys"
        mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$1/dev/pts"
        mkdir -p "$1/dev/shm"
        mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
        root=$1 rights=$2 script=$3
        bounding=
        [ "$rights" != dropped ] || bounding=--bounding-set=-all,+$(echo "$4" | sed s/,/,+/g)
        set -- chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8
        if [ "$rights" = user ]; then
            set -- "$@" HOME=/home/somebody setpriv --reuid somebody --regid somebody --init-groups
        else
            set -- "$@" HOME=/root
        fi
        exec setpriv $bounding "$@" sh -c "$script"
    ' sh "$1" "$2" "$3" "$capabilities"
}

# The bare root of a system, made once: Debian as small as it comes, git, and sudo for the ordinary user.
make_base() {
    base=$roots/base-$1
    [ ! -e "$base" ] || return 0
    partial=$base.partial  # what is interrupted is made again
    rm -rf "$partial"
    mirror=$(debian_mirror)
    mkdir -p "$roots"
    debootstrap --variant=minbase --include=git,ca-certificates,sudo "$1" "$partial" "$mirror" >"$base.log" 2>&1 || {
        tail -n 20 "$base.log"
        rm -rf "$partial"
        return 1
    }
    configure_apt "$partial"
    enter "$partial" plain "useradd --create-home --shell /bin/sh somebody"
    echo "somebody ALL=(ALL) NOPASSWD: ALL" >"$partial/etc/sudoers.d/somebody"
    mv "$partial" "$base"
}

# --- The packages ---

# LLMD_ALL, any value: the build runs its tests, which takes a quarter of an hour more.
profile=nocheck
[ -z "${LLMD_ALL-}" ] || profile=
passed=0
failed=0

# step USER NAME SCRIPT: runs it in $root as `plain` (root) or `user`, its output in $log; says how long it took.
step() {
    began=$(date +%s)
    if enter "$root" "$1" "set -e; export DEBIAN_FRONTEND=noninteractive; $3" >"$log" 2>&1; then
        echo "ok    $system: $2 ($(($(date +%s) - began)) s)"
        passed=$((passed + 1))
    else
        tail -n 40 "$log"
        echo "FAIL  $system: $2; all of it is in $log"
        failed=$((failed + 1))
        return 1
    fi
}

# Builds Debian's packages from the release tarball of HEAD in a clean root of $system, whose bare one is there: sets root to
# packages-build, and work to the directory in it that has them, as *.deb.
build_packages() {
    root=$roots/packages-build
    rm -rf "$root"
    cp -a "$roots/base-$system" "$root"
    work=$root/home/somebody/work
    mkdir -p "$work"
    tools/release "$work" >/dev/null
    version=$(basename "$work"/llmd-*.tar.gz .tar.gz)
    version=${version#llmd-}
    mv "$work/llmd-$version.tar.gz" "$work/llmd_$version.orig.tar.gz"
    tar --extract --directory "$work" --file "$work/llmd_$version.orig.tar.gz"
    git -c safe.directory='*' archive HEAD debian | tar --extract --directory "$work/llmd-$version"
    enter "$root" plain "chown -R somebody:somebody /home/somebody"
    step plain "what building needs" "apt-get update -q
        apt-get install -q -y --no-install-recommends build-essential debhelper lintian
        cd /home/somebody/work/llmd-$version && apt-get build-dep -q -y --no-install-recommends -P '$profile' ." || return 1
    step user "the packages are built" "cd ~/work/llmd-$version
        DEB_BUILD_OPTIONS=$profile DEB_BUILD_PROFILES=$profile dpkg-buildpackage --no-sign" || return 1
}
