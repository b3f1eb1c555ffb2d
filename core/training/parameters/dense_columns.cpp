// SPDX-License-Identifier: Apache-2.0
#include "training/parameters/dense_columns.h"

#include "training/parameters/parameter_keys.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <system_error>

namespace sparserl {

Result<std::vector<std::int64_t>> denseColumnsOf(const ParameterSet& parameters)
{
    constexpr std::int64_t fewest = 2, most = 1024; // as for dense_columns
    const bool known = parameters.has(param::moreColumns.key);
    const std::string text = known ? std::string(parameters[param::moreColumns]) : std::string();
    std::vector<std::int64_t> all;
    if (parameters[param::task] == "spmv") {
        if (!text.empty())
            return fail("more_columns has no meaning for the task spmv",
                        "Set task = spmm or task = both, or leave more_columns out");
        return all;
    }
    all.push_back(parameters[param::denseColumns]);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        std::int64_t columns = 0;
        const auto [rest, error] = std::from_chars(text.data() + at, text.data() + end, columns);
        if (error != std::errc{} || rest != text.data() + end || columns < fewest || columns > most)
            return fail(fmt::format("{} is \"{}\", which is not a list of numbers of columns from {} to {}",
                                    param::moreColumns.key, text, fewest, most),
                        "Write whole numbers separated by commas, such as 16,32");
        if (std::find(all.begin(), all.end(), columns) == all.end())
            all.push_back(columns);
        at = end + 1;
    }
    return all;
}

} // namespace sparserl
