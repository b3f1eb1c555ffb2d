// SPDX-License-Identifier: Apache-2.0
#include "base/roots.h"
#include "base/file_error.h"

#include "base/beneath.h"
#include "base/settings_file.h"
#include "base/trust_roots.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string_view>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace sparserl {

namespace fs = std::filesystem;

struct HeldFolder::Place
{
    std::string path;
    Descriptor folder;
    dev_t device = 0;
    ino_t inode = 0;

    bool isThere() const
    {
        struct stat info
        {
        };
        if (::stat(path.c_str(), &info) == 0)
            return info.st_dev == device && info.st_ino == inode;
        // A disk that stumbles says nothing of where the folder is.
        return errno != ENOENT && errno != ENOTDIR && errno != ELOOP;
    }
};

namespace {

enum class Kind
{
    Project,
    Run
};

/// Device, inode and time of birth. Where the file system does not know the birth, a folder has none: another
/// one may get its number once it is gone.
using Identity = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::int64_t, std::uint32_t>;

std::optional<Identity> identityOf(const std::string& folder)
{
    struct statx info
    {
    };
    if (::statx(AT_FDCWD, folder.empty() ? "/" : folder.c_str(), 0, STATX_INO | STATX_BTIME, &info) != 0 ||
        (info.stx_mask & STATX_BTIME) == 0)
        return std::nullopt;
    return Identity{info.stx_dev_major, info.stx_dev_minor, info.stx_ino, info.stx_btime.tv_sec,
                    info.stx_btime.tv_nsec};
}

/// What this process knows of folders. A marker may vanish between two looks, and the question is asked deep
/// below everything that opens a file, so that nobody could pass the answer along.
struct Known
{
    struct Roots
    {
        std::set<std::string> paths;
        std::set<Identity> identities;

        bool has(const std::string& folder) const
        {
            if (paths.empty())
                return false;
            if (paths.contains(folder))
                return true;
            const auto identity = identities.empty() ? std::nullopt : identityOf(folder);
            return identity && identities.contains(*identity);
        }
    };
    std::shared_mutex mutex;
    Roots projects, runs;
    std::vector<std::shared_ptr<const HeldFolder::Place>> held;

    Roots& of(Kind kind) { return kind == Kind::Project ? projects : runs; }
};

Known& known()
{
    static Known all;
    return all;
}

void remember(const std::string& folder, Kind kind)
{
    const auto identity = identityOf(folder);
    const std::unique_lock lock(known().mutex);
    auto& roots = known().of(kind);
    roots.paths.insert(folder);
    if (identity)
        roots.identities.insert(*identity);
}

bool isRemembered(const std::string& folder, Kind kind)
{
    const std::shared_lock lock(known().mutex);
    return known().of(kind).has(folder);
}

/// `next`: the path of what follows below the folder; empty: the folder itself is asked for.
bool holdsMarker(const std::string& folder, const std::string& next, Kind kind)
{
    struct stat marker
    {
    }, at{};
    if (::lstat((folder + (kind == Kind::Project ? "/project.toml" : "/run.toml")).c_str(), &marker) != 0)
        return false;
    if (next.empty() || ::stat(folder.empty() ? "/" : folder.c_str(), &at) != 0 ||
        (at.st_mode & S_ISVTX) == 0 || (at.st_mode & S_IWOTH) == 0)
        return true;
    struct stat entry
    {
    };
    const bool present = ::lstat(next.c_str(), &entry) == 0;
    return detail::markerCounts(::geteuid(), at.st_uid, marker.st_uid,
                                present ? static_cast<std::int64_t>(entry.st_uid) : -1);
}

bool isRoot(const std::string& folder, const std::string& next, Kind kind)
{
    if (isRemembered(folder, kind))
        return true;
    if (!holdsMarker(folder, next, kind))
        return false;
    remember(folder, kind);
    return true;
}

/// How much of a plain path leads to the user's settings where it lies in them, or is their folder or the one
/// around it, which may have to be made; else 0. A marker up there would lock the user out of what says whom
/// to trust.
std::size_t settingsAround(const std::string& plain)
{
    const fs::path settings = detail::plainPath(userSettingsFolder());
    if (plain == settings.native() || plain == settings.parent_path().native())
        return plain.size();
    const std::size_t size = settings.native().size();
    return plain.size() > size && plain.starts_with(settings.native()) && plain[size] == '/' ? size : 0;
}

/// Visits the folders above a plain path from the root on, without a final slash, each with the path of what
/// follows in it, until one is the right one.
template <typename F>
void visitFolders(const std::string& plain, F&& isRight)
{
    std::string folder, next;
    const std::size_t settings = settingsAround(plain);
    for (std::size_t at = plain.find('/'); at != std::string::npos;) {
        const std::size_t end = plain.find('/', at + 1);
        folder.assign(plain, 0, at);
        next.assign(plain, 0, std::min(end, plain.size()));
        if ((settings == 0 || folder.size() > settings) && isRight(folder, next))
            return;
        at = end;
    }
}

fs::path asPath(const std::string& folder)
{
    return folder.empty() ? "/" : folder;
}

bool isRootItself(const std::string& plain, Kind kind)
{
    return isRoot(plain == "/" ? std::string() : plain, {}, kind);
}

void addTrustRoots(const fs::path& path, bool itself, std::vector<TrustRoot>& roots)
{
    const std::string plain = detail::plainPath(path).native();
    const std::size_t before = roots.size();
    const auto add = [&](const fs::path& folder, bool isRun) {
        if (TrustRoot root{folder, isRun}; std::find(roots.begin(), roots.end(), root) == roots.end())
            roots.push_back(std::move(root));
    };
    // A run within a project is the project's.
    visitFolders(plain, [&](const std::string& folder, const std::string& next) {
        if (isRoot(folder, next, Kind::Project))
            add(asPath(folder), false);
        else if (roots.size() == before && isRoot(folder, next, Kind::Run))
            add(asPath(folder), true);
        return false;
    });
    if (itself && isRootItself(plain, Kind::Project))
        add(plain, false);
    else if (itself && roots.size() == before && isRootItself(plain, Kind::Run))
        add(plain, true);
}

/// `itself`: the last name of the path is followed, too.
fs::path followed(const fs::path& path, bool itself)
{
    fs::path plain = detail::plainPath(path);
    fs::path own = outermostProject(plain);
    if (own.empty())
        own = itself ? plain : plain.parent_path();
    std::error_code code;
    const fs::path real = fs::weakly_canonical(own, code);
    if (code || real == own)
        return plain;
    return own == plain ? real : real / plain.lexically_relative(own);
}

std::vector<TrustRoot> trustRoots(const fs::path& path, bool itself)
{
    std::vector<TrustRoot> roots;
    const fs::path plain = detail::plainPath(path);
    const bool isSettings = settingsAround(plain.native()) > 0;
    const fs::path real = isSettings ? plain : followed(plain, itself);
    addTrustRoots(real, itself, roots);
    if (real == plain)
        return roots;
    // By the other name it may be known from before. A run is what it really lies in.
    std::vector<TrustRoot> named;
    addTrustRoots(plain, itself, named);
    std::erase_if(named, [&](const TrustRoot& root) { return root.isRun && !roots.empty(); });
    roots.insert(roots.end(), named.begin(), named.end());
    return roots;
}

} // namespace

fs::path behindLinks(const fs::path& path)
{
    return followed(path, true);
}

std::vector<TrustRoot> trustRootsAbove(const fs::path& path)
{
    return trustRoots(path, false);
}

std::vector<TrustRoot> trustRootsAround(const fs::path& path)
{
    return trustRoots(path, true);
}

fs::path detail::plainPath(const fs::path& path)
{
    const std::string& text = path.native();
    // Asked for each file that is opened: most paths are plain already.
    if (text.starts_with('/') && text.find("/.") == std::string::npos &&
        text.find("//") == std::string::npos && !text.ends_with('/'))
        return path;
    std::error_code code;
    fs::path plain = (path.is_absolute() ? path : fs::absolute(path, code)).lexically_normal();
    return code ? path : plain.has_filename() ? plain : plain.parent_path();
}

bool detail::markerCounts(uid_t user, uid_t folderOwner, uid_t markerOwner, std::int64_t nextOwner)
{
    const bool isOfAnother = markerOwner != user;
    return markerOwner == folderOwner && !(isOfAnother && nextOwner == static_cast<std::int64_t>(user));
}

namespace {

thread_local const SameRoot* sameRoot = nullptr;

} // namespace

SameRoot::SameRoot(const fs::path& folder)
    : m_below(detail::plainPath(folder).native() + '/')
    , m_root(outermostProject(detail::plainPath(folder) / "x"))
    , m_outer(std::exchange(sameRoot, this))
{
}

SameRoot::~SameRoot()
{
    sameRoot = m_outer;
}

fs::path SameRoot::of(const std::string& plain) const
{
    return plain.starts_with(m_below) ? m_root : fs::path();
}

fs::path outermostProject(const fs::path& path)
{
    const fs::path plain = detail::plainPath(path);
    if (sameRoot != nullptr && settingsAround(plain.native()) == 0)
        if (fs::path known = sameRoot->of(plain.native()); !known.empty())
            return known;
    fs::path found;
    visitFolders(plain.native(), [&](const std::string& folder, const std::string& next) {
        if (!isRoot(folder, next, Kind::Project) && !isRoot(folder, next, Kind::Run))
            return false;
        found = asPath(folder);
        return true;
    });
    return found;
}

std::vector<fs::path> projectsAbove(const fs::path& path)
{
    std::vector<fs::path> projects;
    visitFolders(detail::plainPath(path).native(), [&](const std::string& folder, const std::string& next) {
        if (isRoot(folder, next, Kind::Project))
            projects.push_back(asPath(folder));
        return false;
    });
    return projects;
}

std::vector<fs::path> projectsAround(const fs::path& path)
{
    auto projects = projectsAbove(path);
    const std::string plain = detail::plainPath(path).native();
    if (isRootItself(plain, Kind::Project))
        projects.push_back(plain);
    return projects;
}

void rememberProject(const fs::path& folder)
{
    const std::string plain = detail::plainPath(folder).native();
    remember(plain == "/" ? std::string() : plain, Kind::Project);
}

Result<HeldFolder> HeldFolder::hold(const fs::path& folder)
{
    const fs::path plain = detail::plainPath(folder);
    SPARSERL_TRY(Descriptor open, openFile(plain, O_RDONLY | O_DIRECTORY, "open the folder"));
    struct stat info
    {
    };
    if (::fstat(open.get(), &info) != 0)
        return fail(fileError("cannot open the folder", plain, errno));
    auto place =
        std::make_shared<const Place>(Place{plain.native(), std::move(open), info.st_dev, info.st_ino});
    const std::unique_lock lock(known().mutex);
    known().held.push_back(place);
    return HeldFolder(std::move(place));
}

HeldFolder::HeldFolder(std::shared_ptr<const Place> place)
    : m_place(std::move(place))
{
}

HeldFolder::~HeldFolder()
{
    if (m_place == nullptr)
        return;
    const std::unique_lock lock(known().mutex);
    std::erase(known().held, m_place);
}

bool HeldFolder::isThere() const
{
    return m_place->isThere();
}

detail::Holding detail::heldAround(const std::string& plain)
{
    Holding best;
    {
        const std::shared_lock lock(known().mutex);
        for (const auto& place : known().held) {
            const bool inside = plain.starts_with(place->path) &&
                                (plain.size() == place->path.size() || plain[place->path.size()] == '/');
            if (inside && place->path.size() >= best.path.size())
                best = {place, place->path, place->folder.get(), false};
        }
    }
    if (best)
        best.isThere = best.place->isThere();
    return best;
}

} // namespace sparserl
