// SPDX-License-Identifier: Apache-2.0
#include "matrix/convert.h"

#include "base/shell.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

namespace sparserl {
namespace {

using namespace std::string_view_literals;

struct Known
{
    std::string_view begin, what, remedy; ///< `{0}` is the file, `{1}` a name for what is made of it.
};

constexpr std::string_view matlab =
    "Convert it with `python3 -c \"import sys, scipy.io as s, scipy.sparse as p; d = s.loadmat(sys.argv[1]); "
    "m = d['Problem']['A'][0, 0] if 'Problem' in d else [v for v in d.values() if p.issparse(v)][0]; "
    "s.mmwrite(sys.argv[2], m)\" {0} {1}`";
constexpr std::string_view matlab73 =
    "Convert it with `python3 -c \"import sys, h5py, scipy.io as s, scipy.sparse as p; f = "
    "h5py.File(sys.argv[1]); "
    "g = f['Problem/A'] if 'Problem' in f else [v for v in f.values() if 'MATLAB_sparse' in v.attrs][0]; "
    "m = p.csc_matrix((g['data'][()], g['ir'][()], g['jc'][()]), (g.attrs['MATLAB_sparse'], len(g['jc']) - "
    "1)); "
    "s.mmwrite(sys.argv[2], m)\" {0} {1}`";

constexpr std::array<Known, 13> knownFormats{{
    {"MATLAB 7.3 MAT-file"sv, "this is a file of MATLAB (version 7.3)"sv, matlab73},
    {"\x89HDF\r\n"sv, "this is an HDF5 file"sv, matlab73},
    {"MATLAB 5.0 MAT-file"sv, "this is a file of MATLAB"sv, matlab},
    {"BZh"sv, "the file is compressed with bzip2"sv, "Unpack it with `bunzip2 -k {0}`"sv},
    {"\xfd"
     "7zXZ\0"sv,
     "the file is compressed with xz"sv, "Unpack it with `unxz -k {0}`"sv},
    {"\x28\xb5\x2f\xfd"sv, "the file is compressed with zstd"sv, "Unpack it with `unzstd {0}`"sv},
    {"7z\xbc\xaf\x27\x1c"sv, "this is a 7-Zip archive"sv,
     "Unpack it with `7z x {0}` and give the file in it"sv},
    {"Rar!\x1a\x07"sv, "this is a RAR archive"sv, "Unpack it with `unrar x {0}` and give the file in it"sv},
    {"\x80\x04\x95"sv, "this is a pickle of Python, which would run whatever its author wrote"sv,
     "If you trust it: `python3 -c \"import sys, pickle, scipy.io as s; s.mmwrite(sys.argv[2], "
     "pickle.load(open(sys.argv[1], 'rb')))\" {0} {1}`"sv},
    {"<!doctype"sv, "this is a web page, not a matrix"sv, "Download the file that the page links to"sv},
    {"<html"sv, "this is a web page, which is neither Matrix Market nor another format of matrices"sv,
     "Download the file that the page links to"sv},
    {"version https://git-lfs"sv, "this is a pointer of Git LFS, not the file itself"sv,
     "Fetch it with `git lfs pull`"sv},
    {"SQLite format 3"sv, "this is a database of SQLite"sv, "Give a file that holds a matrix"sv},
}};

/// "a/b.mat" -> "b.mtx"
std::string made(const std::string& name)
{
    std::string base = name.substr(name.rfind('/') + 1);
    if (const auto dot = base.rfind('.'); dot != std::string::npos && dot > 0)
        base.resize(dot);
    return base + ".mtx";
}

bool beginsWith(std::string_view text, std::string_view with)
{
    return text.size() >= with.size() &&
           std::equal(with.begin(), with.end(), text.begin(), [](char a, char b) {
               return a == b || std::tolower(static_cast<unsigned char>(a)) ==
                                    std::tolower(static_cast<unsigned char>(b));
           });
}

} // namespace

std::optional<Error> foreignFormat(std::string_view head, const std::string& name)
{
    for (const Known& known : knownFormats) {
        if (beginsWith(head, known.begin))
            return Error{std::string(known.what), name, 0,
                         fmt::format(fmt::runtime(known.remedy), shellWord(name), shellWord(made(name)))};
    }
    return std::nullopt;
}

} // namespace sparserl
