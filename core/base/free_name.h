// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace sparserl {

/// Makes equal names distinct by a number: NAME for 1, then NAME-2, NAME-3, ...
std::string numbered(const std::string& name, int number);

/// The first free name among name(1), name(2), ...
template <typename Name, typename Taken>
std::string firstFree(const Name& name, const Taken& taken)
{
    for (int number = 1;; ++number)
        if (std::string made = name(number); !taken(made))
            return made;
}
template <typename Taken>
std::string firstFree(const std::string& name, const Taken& taken)
{
    return firstFree([&](int number) { return numbered(name, number); }, taken);
}

/// The first free path among PATH, PATH-2, PATH-3, ...
std::filesystem::path freePlace(const std::filesystem::path& path);

} // namespace sparserl
