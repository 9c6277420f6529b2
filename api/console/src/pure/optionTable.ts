// The options of the registry that can be stored: code, name, kind of data, "*" for a list. A test holds this to the
// service's own table.
const OPTIONS4 = `2 time-offset int32; 3 routers address*; 4 time-servers address*; 5 name-servers address*; 6
domain-name-servers address*; 7 log-servers address*; 8 cookie-servers address*; 9 lpr-servers address*; 10
impress-servers address*; 11 resource-location-servers address*; 12 host-name ascii; 13 boot-size uint16; 14
merit-dump string; 15 domain-name ascii; 16 swap-server address; 17 root-path string; 18 extensions-path
string; 19 ip-forwarding flag; 20 non-local-source-routing flag; 21 policy-filter address*; 22
max-dgram-reassembly uint16; 23 default-ip-ttl uint8; 24 path-mtu-aging-timeout uint32; 25
path-mtu-plateau-table uint16*; 26 interface-mtu uint16; 27 all-subnets-local flag; 28 broadcast-address
address; 29 perform-mask-discovery flag; 30 mask-supplier flag; 31 router-discovery flag; 32
router-solicitation-address address; 33 static-routes address*; 34 trailer-encapsulation flag; 35
arp-cache-timeout uint32; 36 ieee802-3-encapsulation flag; 37 default-tcp-ttl uint8; 38 tcp-keepalive-interval
uint32; 39 tcp-keepalive-garbage flag; 40 nis-domain ascii; 41 nis-servers address*; 42 ntp-servers address*;
43 vendor-encapsulated-options suboptions; 44 netbios-name-servers address*; 45 netbios-dd-server address*; 46
netbios-node-type uint8; 47 netbios-scope string; 48 font-servers address*; 49 x-display-manager address*; 56
dhcp-message string; 60 vendor-class-identifier string; 62 nwip-domain-name ascii; 63 nwip-suboptions
suboptions; 64 nisplus-domain-name ascii; 65 nisplus-servers address*; 68 mobile-ip-home-agent address*; 69
smtp-server address*; 70 pop-server address*; 71 nntp-server address*; 72 www-server address*; 73
finger-server address*; 74 irc-server address*; 75 streettalk-server address*; 76
streettalk-directory-assistance-server address*; 78 slp-directory-agent binary; 79 slp-service-scope binary;
83 isns binary; 85 nds-servers address*; 86 nds-tree-name string; 87 nds-context string; 88
bcms-controller-names name*; 89 bcms-controller-address address*; 95 ldap string; 98 uap-servers ascii; 99
geoconf-civic binary; 100 pcode ascii; 101 tcode ascii; 108 v6-only-preferred uint32; 109
option-dhcp4o6-s46-saddr binary; 112 netinfo-server-address address*; 113 netinfo-server-tag string; 114
v4-captive-portal ascii; 116 auto-config uint8; 117 name-service-search uint16*; 119 domain-search name*; 120
sip-servers sip-servers; 121 classless-static-route routes; 122 cablelabs-client-configuration suboptions; 123
geoconf binary; 124 vivco-suboptions binary; 125 vivso-suboptions vendor-suboptions; 136 pana-agent address*;
137 v4-lost name; 138 capwap-ac-v4 address*; 139 mos-address suboptions; 140 mos-fqdn suboptions; 141
sip-ua-cs-domains name*; 142 andsf-address address*; 143 v4-sztp-redirect binary; 144 geoloc binary; 145
forcerenew-nonce-capable uint8*; 146 rdnss-selection binary; 147 v4-dots-ri name; 148 v4-dots-address
address*; 150 tftp-server-address address*; 158 v4-pcp-server binary; 159 v4-portparams binary; 161 mud-url
ascii; 162 v4-dnr resolvers; 175 etherboot binary; 208 pxelinux-magic binary; 209 pxelinux-config-file string;
210 pxelinux-path-prefix string; 211 pxelinux-reboot-time uint32; 212 option-6rd binary; 213 v4-access-domain
name; 220 subnet-allocation binary; 249 ms-classless-static-routes routes; 252 wpad-url string`;
const OPTIONS6 = `7 preference uint8; 16 vendor-class binary; 17 vendor-opts vendor-suboptions; 21 sip-server-dns name*; 22
sip-server-addr address*; 23 dns-servers address*; 24 domain-search name*; 27 nis-servers address*; 28
nisp-servers address*; 29 nis-domain-name name; 30 nisp-domain-name name; 31 sntp-servers address*; 32
information-refresh-time uint32; 33 bcmcs-server-dns name*; 34 bcmcs-server-addr address*; 36 geoconf-civic
binary; 40 pana-agent address*; 41 new-posix-timezone ascii; 42 new-tzdb-timezone ascii; 43 ero uint16*; 49
mip6-hnidf name; 50 mip6-vdinf binary; 51 v6-lost name; 52 capwap-ac-v6 address*; 53 relay-id binary; 54
mos-address suboptions; 55 mos-fqdn suboptions; 56 ntp-server suboptions; 57 v6-access-domain name; 58
sip-ua-cs-list name*; 59 bootfile-url string; 60 bootfile-param strings; 63 geolocation binary; 64 aftr-name
name; 65 erp-local-domain-name name; 69 mip6-idinf binary; 70 mip6-udinf binary; 71 mip6-hnp binary; 72
mip6-haa address; 73 mip6-haf name; 74 rdnss-selection binary; 75 krb-principal-name binary; 76 krb-realm-name
string; 77 krb-default-realm-name string; 78 krb-kdc binary; 80 link-address address; 81 radius binary; 82
sol-max-rt uint32; 83 inf-max-rt uint32; 84 addrsel binary; 85 addrsel-table binary; 86 v6-pcp-server
address*; 87 dhcpv4-msg binary; 88 dhcp4o6-server-addr address*; 89 s46-rule binary; 90 s46-br address; 91
s46-dmr binary; 92 s46-v4v6bind binary; 93 s46-portparams binary; 94 s46-cont-mape suboptions; 95
s46-cont-mapt suboptions; 96 s46-cont-lw suboptions; 97 4rd suboptions; 98 4rd-map-rule binary; 99
4rd-non-map-rule binary; 100 lq-base-time uint32; 101 lq-start-time uint32; 102 lq-end-time uint32; 103
v6-captive-portal ascii; 104 mpl-parameters binary; 105 ani-att uint16; 106 ani-network-name string; 107
ani-ap-name string; 108 ani-ap-bssid binary; 109 ani-operator-id uint32; 110 ani-operator-realm string; 111
s46-priority uint16*; 112 mud-url-v6 ascii; 113 v6-prefix64 binary; 136 v6-sztp-redirect strings; 137
s46-bind-ipv6-prefix binary; 140 slap-quad binary; 141 v6-dots-ri name; 142 v6-dots-address address*; 143
andsf-address address*; 144 v6-dnr resolvers; 145 registered-domain name; 146 forward-dist-manager binary; 147
reverse-dist-manager binary`;

export type OptionKind = {
  readonly code: number;
  readonly name: string;
  readonly kind: string;
  readonly array: boolean;
};

export const optionTable: Readonly<Record<4 | 6, readonly OptionKind[]>> = {
  4: rowsOf(OPTIONS4),
  6: rowsOf(OPTIONS6),
};

function rowsOf(table: string): OptionKind[] {
  return table.split(";").map((row) => {
    const [code = "", name = "", kind = ""] = row.trim().split(/\s+/);
    return { code: Number(code), name, kind: kind.replace("*", ""), array: kind.endsWith("*") };
  });
}
