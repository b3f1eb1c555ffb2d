// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A file, folder or link inside an image. Its path is below the root, made of plain names only.
struct ImageEntry
{
    enum class Kind
    {
        Folder,
        File,
        Link
    };
    Kind kind = Kind::File;
    std::filesystem::path path; ///< Relative to the root: "usr/bin/sparserl".
    std::uint64_t size = 0;     ///< File: bytes.
    std::int64_t modified = 0;  ///< Seconds since 1970.
    bool executable = false;    ///< File: its owner may run it.
    std::string target;         ///< Link: where it leads, never out of the root.
};

/// A squashfs image in memory (libsquashfs). What it holds is data of others: every name and link is checked.
class SquashfsImage
{
public:
    /// `bytes` must outlive the image. Fails for what is no squashfs image, or one that is cut off.
    static Result<SquashfsImage> open(std::string_view bytes);
    ~SquashfsImage();
    SquashfsImage(SquashfsImage&&) noexcept;
    SquashfsImage& operator=(SquashfsImage&&) noexcept;

    /// All entries, a folder before what is in it. Fails for names that are no plain names or come twice,
    /// links that lead out of the root, devices, pipes and sockets, and for folders nested too deeply.
    Result<std::vector<ImageEntry>> entries();

    using Sink = std::function<Status(std::string_view part)>;
    /// Hands the contents of the file that stands at `index` of entries() to `sink`, part by part.
    Status read(std::size_t index, const Sink& sink);

private:
    struct Parts;
    explicit SquashfsImage(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> m_parts;
};

} // namespace sparserl
