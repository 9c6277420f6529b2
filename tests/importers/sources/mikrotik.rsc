# 2024-03-01 10:00:00 by RouterOS 7.13
# software id = ABCD-EFGH
#
/interface bridge
add name=bridge1
/ip dhcp-server option
add code=43 name=unifi value=0x0104c0000209
add code=66 name=tftp value="s'tftp.example.net'"
add code=150 force=yes name=phones value="'192.0.2.6''192.0.2.7'"
add code=12 name=filled value="\$(HOSTNAME)"
/ip dhcp-server option sets
add name=boot options=tftp,phones
/ip pool
add name=office ranges=192.0.2.100-192.0.2.149,192.0.2.160/29 next-pool=more
add name=more ranges=192.0.2.200
add comment="far away" name=guests ranges=\
    198.51.100.10-198.51.\
    100.99,nonsense,203.0.113.200-203.0.113.210
add name=unused ranges=10.0.0.1-10.0.0.9
/ip dhcp-server
add address-pool=office interface=bridge1 lease-time=1d12h name=dhcp1 lease-script="/log info \"lease\""
add address-pool=guests authoritative=after-2sec-delay interface=bridge1 name=guests relay=198.51.100.1
add address-pool=static-only disabled=yes interface=vlan9 lease-time=00:10:00 name=lab authoritative=no
add address-pool=nowhere interface=vlan8 name=lost use-radius=yes lease-time=soon
/ip dhcp-server lease
add address=192.0.2.10 client-id=1:0:c:29:16:34:a1 comment="printer, second floor" mac-address=00:0C:29:16:34:A1 server=dhcp1
add address=192.0.2.11 client-id=ff:1:2 mac-address=00:0C:29:16:34:A2 server=dhcp1 dhcp-option=tftp,missing lease-time=5m
add address=192.0.2.12 disabled=yes mac-address=00:0C:29:16:34:A3
add address=192.0.2.13 block-access=yes mac-address=00:0C:29:16:34:A4
add address=office mac-address=00:0C:29:16:34:A5 server=dhcp1 rate-limit=1M
add address=172.16.0.1 mac-address=00:0C:29:16:34:A6
add mac-address=00:0C:29:16:34:A7
/ip dhcp-server network
add address=192.0.2.0/24 comment=office dhcp-option=unifi dhcp-option-set=boot dns-server=192.0.2.53,192.0.2.54 \
    domain=example.net gateway=192.0.2.1 netmask=25 ntp-server=192.0.2.123 next-server=192.0.2.5 boot-file-name=pxe.0
add address=198.51.100.0/24 dns-none=yes gateway=198.51.100.1,198.51.100.2 wins-server=192.0.2.44 caps-manager=192.0.2.7
add address=0.0.0.0/0 gateway=192.0.2.1
add address=300.0.0.0/24 gateway=192.0.2.1
add address=198.18.0.0/24 dhcp-option-set=nothing
/ip dhcp-server config
set store-leases-disk=never
/ip dhcp-server set [ find default=yes ] lease-time=1h
/ipv6 dhcp-server add interface=bridge1 name=six
/ip address add address=192.0.2.1/24 interface=bridge1 network=192.0.2.0
/ip address add address=172.20.0.1/24 interface=vlan9
/ip address add address=bad interface=vlan8
/system identity set name=r1
