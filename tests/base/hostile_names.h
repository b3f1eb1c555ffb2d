// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace sparserl::test {

/// Names that a file system takes and that programs trip over. None of them holds "/".
inline std::vector<std::string> hostileNames()
{
    return {"new\nline.mtx",
            "two\n\nlines\n.mtx",
            "escape\x1b[2J\x1b]0;title\x07.mtx",
            "\xc2\x9b"
            "31mC1.mtx",
            "carriage\rreturn.mtx",
            "tab\t.mtx",
            "delete\x7f.mtx",
            "back\b\bspace.mtx",
            "rtl\xe2\x80\xaextm.txt",
            "isolate\xe2\x81\xa6.mtx",
            "no\xe2\x80\x8bwidth.mtx",
            "lines\xe2\x80\xa8of\xe2\x80\xa9Unicode.mtx",
            "tag\xf3\xa0\x81\x81.mtx",
            "filler\xe3\x85\xa4.mtx",
            "\xcc\x81"
            "accent.mtx",
            "-dash.mtx",
            "--help",
            "-",
            std::string(251, 'x') + ".mtx",
            std::string(251, 'y') + ".mtx",
            std::string(125, '\xc3') + "\xa9.mtx",
            "bad\xff\xfeutf8.mtx",
            "\xc0\xaf.mtx",
            "\xed\xa0\x80surrogate.mtx",
            "..mtx",
            "...",
            "....mtx",
            ".mtx",
            ".hidden.mtx",
            "a#b.mtx",
            "#",
            "NUL",
            "CON.mtx",
            "trailing .mtx  ",
            "trailing.",
            " leading.mtx",
            " ",
            "quote\"'`.mtx",
            "'''.mtx",
            "%s%n%d.mtx",
            "{}{0}.mtx",
            "back\\slash\\x41.mtx",
            "$(touch pwned)`touch pwned`.mtx",
            "a;b|c&d>e.mtx",
            "*?[a].mtx",
            "a,b.mtx",
            "=1+1.mtx",
            "<b>html<i>&amp;.mtx",
            "project.toml",
            "run.toml",
            "project.lock",
            "x.tmp-1-1",
            ".sparserl.x.tmp-1-1",
            "lp(rows=2).mtx",
            "stencil2d",
            "~",
            "\xf0\x9f\x92\xa5.mtx",
            "x.smtx"};
}

/// Without a temporary file beside it, which has a longer name.
inline bool writePlainly(const std::filesystem::path& path, const std::string& text)
{
    std::ofstream file(path, std::ios::binary);
    return bool(file << text << std::flush);
}

/// A matrix that no other number gives, as Matrix Market text.
inline std::string numberedMatrix(std::size_t number)
{
    return "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 3 2\n3 2 " +
           std::to_string(number + 3) + "\n";
}

} // namespace sparserl::test
