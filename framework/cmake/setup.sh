# shellcheck shell=bash
# Sourced by tests/run and samples/run: everything between a clean clone and a built target.
#
# Uses and sets: root (the repository), preset, jobs, build (the folder of the preset).

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
preset=default
jobs=$(nproc)
definitions=()
program=${0##*/}

fail() {
  echo "$program: $1" >&2
  exit "${2:-1}"
}

# need OPTION VALUE...: fails if the value is missing
need() {
  (($# >= 2)) && [[ -n $2 ]] || fail "$1 needs a value (see --help)" 2
}

# The options that both commands have. Sets `used` to the number of words it took.
setup_option() {
  used=2
  case $1 in
    --preset) need "$@" && preset=$2 ;;
    --jobs) need "$@" && jobs=$2 ;;
    -D?*=*) used=1 definitions+=("$1") ;;
    --help | -h) help && exit 0 ;;
    *) fail "unknown option '$1' (see --help)" 2 ;;
  esac
}

setup_help() {
  cat <<'TEXT'
  --preset NAME      default, simulator, sanitize, checked or trace (see CMakePresets.json)
  --jobs N           compile and test N at a time (default: one for each core)
  -DNAME=VALUE       set a CMake option; the build folder keeps it
  --help             this text

What is missing on a Debian or Ubuntu machine is installed with apt (with sudo, unless you are
root). nvcc is looked for in CUDA_HOME, PATH and /usr/local/cuda; where there is none, CUDA's
compiler comes as Python wheels into the build folder. In the environment,
WARPLINE_IGNORE_INSTALLED_CUDA=1 does so where there is one, too, and WARPLINE_PTXAS_VERBOSE=1 shows
what ptxas says of each kernel.
TEXT
}

check_options() {
  [[ $jobs =~ ^[1-9][0-9]*$ ]] || fail "--jobs needs a positive number, not '$jobs'" 2
  case $preset in
    default | simulator | sanitize | checked | trace) ;;
    *) fail "no preset '$preset': it is default, simulator, sanitize, checked or trace" 2 ;;
  esac
  build=$root/build/$preset
  # CMake cannot change a build folder's compiler.
  [[ -z ${WARPLINE_IGNORE_INSTALLED_CUDA:-} ]] || build+=-wheels
}

# install_packages PACKAGE...: those that are not there
install_packages() {
  local missing=() package as_root=()
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  ((EUID == 0)) || as_root=(sudo)
  echo "Installing with ${as_root[*]:+sudo }apt-get: ${missing[*]}" >&2
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
  "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null
}

install_what_is_missing() {
  if ! command -v dpkg-query >/dev/null; then
    return 0
  fi
  local packages=(libboost-dev libboost-context-dev catch2 libcli11-dev libfmt-dev
    nlohmann-json3-dev)
  # Tools need not come from the distribution.
  command -v g++ >/dev/null || packages+=(g++)
  command -v cmake >/dev/null || packages+=(cmake)
  command -v ninja >/dev/null || command -v make >/dev/null || packages+=(ninja-build)
  [[ -e $build/CMakeCache.txt ]] || python3 -m pip --version &>/dev/null ||
    packages+=(python3-pip) # for fetch_cuda
  # It may all be there in another way; if not, CMake says what it misses.
  install_packages "${packages[@]}" || echo "$program: could not install: going on without" >&2
}

# Quiet, but for errors and what the user should know.
configure() {
  if [[ ! -e $build/CMakeCache.txt ]] && command -v ninja >/dev/null; then
    export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}
  fi
  (cd "$root" && cmake --preset "$preset" -B "$build" "${definitions[@]}" --log-level=NOTICE \
    >/dev/null) ||
    fail "configuring $build failed"
}

# set_up TARGET: from a clean clone to the built target
set_up() {
  check_options
  install_what_is_missing
  configure
  # Without what ninja says where there is nothing to build.
  cmake --build "$build" --parallel "$jobs" --target "$1" |
    sed -u '/Re-checking globbed/d; /no work to do/d' || fail "the build failed"
}
