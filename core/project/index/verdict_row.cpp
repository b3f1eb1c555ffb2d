// SPDX-License-Identifier: Apache-2.0
#include "project/index/verdict_row.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"

#include <cmath>

namespace sparserl {
namespace {

/// zlib level: the index is rebuilt more often than it is sent anywhere.
constexpr int fastest = 1;

} // namespace

VerdictRow verdictRow(const VerdictRecord& record)
{
    VerdictRow row;
    row.verdict = nameOf(record.verdict);
    for (const std::string& flag : listedFlags(record))
        row.flags += (row.flags.empty() ? "," : "") + flag + ",";
    row.message = record.message;
    if (record.correct() && std::isfinite(record.speedup()))
        row.speedup = record.speedup();
    if (record.correct() && record.warm && std::isfinite(record.warm->median))
        row.microseconds = record.warm->median;
    row.record = zlibCompress(dumpJson(toJson(record)), fastest);
    return row;
}

VerdictFlags flagsOf(const std::string& joined)
{
    std::vector<std::string> flags;
    std::string flag;
    for (const char c : joined) {
        if (c != ',') {
            flag += c;
        } else if (!flag.empty()) {
            flags.push_back(flag);
            flag.clear();
        }
    }
    return VerdictFlags(std::move(flags));
}

} // namespace sparserl
