// SPDX-License-Identifier: Apache-2.0
#include "squashfs_image.h"

#include "base/printable.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <sqfs/compressor.h>
#include <sqfs/data_reader.h>
#include <sqfs/dir.h>
#include <sqfs/dir_reader.h>
#include <sqfs/error.h>
#include <sqfs/inode.h>
#include <sqfs/io.h>
#include <sqfs/super.h>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

// Far above what an application has, and low enough that an image cannot use up the machine.
constexpr int deepest = 64;
constexpr std::size_t mostEntries = 100'000;

/// libsquashfs reads through this. `base` must be the first member: the library sees only that.
struct BytesFile
{
    sqfs_file_t base{};
    std::string_view bytes;
};

int readBytes(sqfs_file_t* file, sqfs_u64 offset, void* buffer, std::size_t size)
{
    const std::string_view bytes = reinterpret_cast<const BytesFile*>(file)->bytes;
    if (offset > bytes.size() || size > bytes.size() - offset)
        return SQFS_ERROR_OUT_OF_BOUNDS;
    std::memcpy(buffer, bytes.data() + offset, size);
    return 0;
}

sqfs_u64 sizeOfBytes(const sqfs_file_t* file)
{
    return reinterpret_cast<const BytesFile*>(file)->bytes.size();
}

struct DestroyObject
{
    void operator()(void* object) const { sqfs_destroy(object); }
};

struct FreeMemory
{
    void operator()(void* memory) const { sqfs_free(memory); }
};

template <typename T>
using Owned = std::unique_ptr<T, DestroyObject>;
using Inode = std::unique_ptr<sqfs_inode_generic_t, FreeMemory>;

tl::unexpected<Error> damaged(const std::string& what, int code)
{
    if (code == SQFS_ERROR_ALLOC)
        return fail(what + ": memory is used up");
    if (code == SQFS_ERROR_UNSUPPORTED)
        return fail(what + ": it is packed in a way that this program does not know");
    return fail(what + ": the data are damaged", "Download the file again");
}

bool isPlainName(std::string_view name)
{
    return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
           name.find('\0') == std::string_view::npos;
}

/// Whether a link in a folder `depth` steps below the root stays below the root. Steps up must come first:
/// they go through folders that this image makes, where those after a name could go through a link.
bool staysInside(const std::string& target, int depth)
{
    const fs::path path(target);
    if (target.empty() || target.find('\0') != std::string::npos || path.is_absolute())
        return false;
    int up = 0;
    bool down = false;
    for (const fs::path& step : path) {
        if (step == "..") {
            if (down || ++up > depth)
                return false;
        } else if (step != "." && !step.empty()) {
            down = true;
        }
    }
    return true;
}

} // namespace

struct SquashfsImage::Parts
{
    BytesFile file;
    sqfs_super_t super{};
    Owned<sqfs_compressor_t> compressor;
    Owned<sqfs_dir_reader_t> folders;
    Owned<sqfs_data_reader_t> data;
    std::vector<Inode> inodes; ///< One for each of entries().

    Status walk(const sqfs_inode_generic_t* folder, const fs::path& path, int depth,
                std::vector<ImageEntry>& out);
    Result<ImageEntry> describe(const sqfs_inode_generic_t* inode, fs::path path, int depth);
};

SquashfsImage::SquashfsImage(std::unique_ptr<Parts> parts)
    : m_parts(std::move(parts))
{
}
SquashfsImage::~SquashfsImage() = default;
SquashfsImage::SquashfsImage(SquashfsImage&&) noexcept = default;
SquashfsImage& SquashfsImage::operator=(SquashfsImage&&) noexcept = default;

Result<SquashfsImage> SquashfsImage::open(std::string_view bytes)
{
    auto parts = std::make_unique<Parts>();
    parts->file.bytes = bytes;
    parts->file.base.read_at = readBytes;
    parts->file.base.get_size = sizeOfBytes;
    sqfs_file_t* file = &parts->file.base;
    if (const int code = sqfs_super_read(&parts->super, file); code != 0)
        return damaged("there is no squashfs image", code);
    if (parts->super.bytes_used > bytes.size())
        return fail("the squashfs image is cut off", "Download the file again");

    sqfs_compressor_config_t config;
    sqfs_compressor_t* compressor = nullptr;
    int code = sqfs_compressor_config_init(&config, static_cast<SQFS_COMPRESSOR>(parts->super.compression_id),
                                           parts->super.block_size, SQFS_COMP_FLAG_UNCOMPRESS);
    if (code == 0)
        code = sqfs_compressor_create(&config, &compressor);
    if (code != 0)
        return damaged("cannot unpack the squashfs image", code);
    parts->compressor.reset(compressor);
    parts->folders.reset(sqfs_dir_reader_create(&parts->super, compressor, file, 0));
    parts->data.reset(sqfs_data_reader_create(file, parts->super.block_size, compressor, 0));
    if (!parts->folders || !parts->data)
        return damaged("cannot read the squashfs image", SQFS_ERROR_ALLOC);
    code = sqfs_data_reader_load_fragment_table(parts->data.get(), &parts->super);
    if (code != 0)
        return damaged("cannot read the table of fragments of the squashfs image", code);
    return SquashfsImage(std::move(parts));
}

Result<ImageEntry> SquashfsImage::Parts::describe(const sqfs_inode_generic_t* inode, fs::path path, int depth)
{
    ImageEntry entry;
    entry.path = std::move(path);
    entry.modified = inode->base.mod_time;
    switch (inode->base.type) {
    case SQFS_INODE_DIR:
    case SQFS_INODE_EXT_DIR:
        entry.kind = ImageEntry::Kind::Folder;
        break;
    case SQFS_INODE_FILE:
    case SQFS_INODE_EXT_FILE: {
        sqfs_u64 size = 0;
        if (const int code = sqfs_inode_get_file_size(inode, &size); code != 0)
            return damaged("cannot read the size of " + printable(entry.path.string()), code);
        entry.kind = ImageEntry::Kind::File;
        entry.size = size;
        entry.executable = (inode->base.mode & SQFS_INODE_OWNER_X) != 0;
        break;
    }
    case SQFS_INODE_SLINK:
    case SQFS_INODE_EXT_SLINK: {
        const sqfs_u32 length = inode->base.type == SQFS_INODE_SLINK ? inode->data.slink.target_size
                                                                     : inode->data.slink_ext.target_size;
        entry.kind = ImageEntry::Kind::Link;
        entry.target.assign(reinterpret_cast<const char*>(inode->extra), length);
        if (!staysInside(entry.target, depth))
            return fail("the link " + printable(entry.path.string()) + " leads out of the image, to " +
                            printable(entry.target),
                        "Nothing is unpacked: download the file again from where it is published");
        break;
    }
    default:
        return fail(printable(entry.path.string()) +
                        " in the image is neither a file nor a folder nor a link",
                    "Nothing is unpacked: download the file again from where it is published");
    }
    return entry;
}

Status SquashfsImage::Parts::walk(const sqfs_inode_generic_t* folder, const fs::path& path, int depth,
                                  std::vector<ImageEntry>& out)
{
    const std::string where =
        path.empty() ? "the root of the image" : printable(path.string()) + " in the image";
    if (depth > deepest)
        return fail("the folders of the image are nested more than " + std::to_string(deepest) + " deep",
                    "Nothing is unpacked: download the file again from where it is published");
    if (const int code = sqfs_dir_reader_open_dir(folders.get(), folder, 0); code != 0)
        return damaged("cannot read " + where, code);
    std::set<std::string> names;
    const std::size_t first = out.size();
    for (;;) {
        sqfs_dir_entry_t* raw = nullptr;
        const int code = sqfs_dir_reader_read(folders.get(), &raw);
        if (code < 0)
            return damaged("cannot read " + where, code);
        if (code > 0)
            break;
        const std::unique_ptr<sqfs_dir_entry_t, FreeMemory> listed(raw);
        const std::string name(reinterpret_cast<const char*>(listed->name), std::size_t{listed->size} + 1);
        if (!isPlainName(name))
            return fail(where + " holds the name \"" + printable(name) + "\", which leads out of it",
                        "Nothing is unpacked: download the file again from where it is published");
        if (!names.insert(name).second)
            return fail(where + " holds the name " + printable(name) + " twice",
                        "Nothing is unpacked: download the file again from where it is published");
        if (out.size() >= mostEntries)
            return fail("the image holds more than " + std::to_string(mostEntries) + " files");
        sqfs_inode_generic_t* inode = nullptr;
        if (const int failed = sqfs_dir_reader_get_inode(folders.get(), &inode); failed != 0)
            return damaged("cannot read " + printable((path / name).string()), failed);
        inodes.emplace_back(inode);
        SPARSERL_TRY(ImageEntry entry, describe(inode, path / name, depth));
        out.push_back(std::move(entry));
    }
    // The reader knows one position only, so folders come after the listing that they stand in.
    const std::size_t last = out.size();
    for (std::size_t i = first; i < last; ++i) {
        if (out[i].kind != ImageEntry::Kind::Folder)
            continue;
        const fs::path below = out[i].path;
        SPARSERL_CHECK(walk(inodes[i].get(), below, depth + 1, out));
    }
    return {};
}

Result<std::vector<ImageEntry>> SquashfsImage::entries()
{
    m_parts->inodes.clear();
    sqfs_inode_generic_t* raw = nullptr;
    if (const int code = sqfs_dir_reader_get_root_inode(m_parts->folders.get(), &raw); code != 0)
        return damaged("cannot read the root of the image", code);
    const Inode root(raw);
    std::vector<ImageEntry> out;
    SPARSERL_CHECK(m_parts->walk(root.get(), {}, 0, out));
    return out;
}

Status SquashfsImage::read(std::size_t index, const Sink& sink)
{
    const sqfs_inode_generic_t* inode = m_parts->inodes.at(index).get();
    sqfs_u64 size = 0;
    if (const int code = sqfs_inode_get_file_size(inode, &size); code != 0)
        return damaged("cannot read a file of the image", code);
    // Whole blocks, so that the reader unpacks each once.
    std::string part(std::max<std::size_t>(m_parts->super.block_size, 1), '\0');
    for (sqfs_u64 at = 0; at < size;) {
        const auto wanted = static_cast<sqfs_u32>(std::min<sqfs_u64>(part.size(), size - at));
        const sqfs_s32 got = sqfs_data_reader_read(m_parts->data.get(), inode, at, part.data(), wanted);
        if (got <= 0)
            return damaged("cannot read a file of the image", got == 0 ? SQFS_ERROR_CORRUPTED : got);
        SPARSERL_CHECK(sink(std::string_view(part.data(), static_cast<std::size_t>(got))));
        at += static_cast<sqfs_u64>(got);
    }
    return {};
}

} // namespace sparserl
