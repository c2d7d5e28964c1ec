# Sourced: a Debian made on the spot, from the mirror that this machine's apt has.
debian_tar() { # suite, packages with commas, file
  local mirror
  mirror="$(apt-get indextargets --format '$(SITE) $(ORIGIN) $(CREATED_BY)' |
    awk '$2 == "Debian" && $3 == "Packages" && $1 !~ /security/ { print $1; exit }')"
  mmdebstrap --quiet --variant=minbase --include="$2" "$1" "$3" ${mirror:+"$mirror"}
}
