// SPDX-License-Identifier: Apache-2.0
// What an AppImage of this project begins with (packaging/appimage): unpacks the image behind it into the
// user's cache, once for each version, and becomes the AppRun in it. It mounts nothing, so it needs no FUSE,
// and a training that goes on after the window was closed has its files for as long as it runs.
#include "appended_image.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/subprocess.h"
#include "cache.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

using namespace sparserl;

namespace fs = std::filesystem;

namespace {

constexpr int exitUsage = 2;
constexpr int exitFailure = 127; ///< As a shell's where a program cannot be started.

constexpr const char* help =
    "This is an AppImage: a program with everything it needs in one file.\n"
    "\n"
    "  FILE [PROJECT]             opens the window\n"
    "  FILE sparserl ARGUMENTS    the command line; likewise sparserl-runner\n"
    "\n"
    "  --appimage-extract         unpacks all files into ./squashfs-root\n"
    "  --appimage-offset          prints where the image begins in this file, in bytes\n"
    "  --appimage-version         prints the version of this program and the digest of its image\n"
    "  --appimage-help            prints this\n"
    "\n"
    "At its first start it unpacks itself into $XDG_CACHE_HOME/sparserl/appimage (without that variable,\n"
    "~/.cache/sparserl/appimage). The folders there may be removed; the next start makes its own anew.\n";

int complain(const Error& error)
{
    std::fprintf(stderr, "sparserl: %s\n", printable(error.sentence()).c_str());
    return exitFailure;
}

/// Percents on one line of a terminal; nothing where there is no terminal.
class ProgressLine
{
public:
    explicit ProgressLine(std::string what)
        : m_what(std::move(what))
        , m_terminal(::isatty(STDERR_FILENO) == 1)
    {
    }
    ~ProgressLine()
    {
        if (m_shown >= 0)
            std::fputs("\n", stderr);
    }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(std::uint64_t done, std::uint64_t total)
    {
        const int percent =
            total == 0 ? 100
                       : static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(total));
        if (!m_terminal || percent == m_shown)
            return;
        m_shown = percent;
        std::fprintf(stderr, "\rsparserl: %s (%s): %d %%", m_what.c_str(),
                     formatBytes(static_cast<double>(total)).c_str(), percent);
    }

private:
    std::string m_what;
    bool m_terminal;
    int m_shown = -1;
};

Status extractHere(const AppendedImage& image)
{
    const fs::path folder = fs::current_path() / "squashfs-root";
    SPARSERL_CHECK(image.verify());
    SPARSERL_TRY(SquashfsImage files, SquashfsImage::open(image.bytes()));
    SPARSERL_TRY(const auto entries, files.entries());
    if (::mkdir(folder.c_str(), 0755) != 0)
        return failAt(folder.string(), 0, std::string("cannot make the folder: ") + std::strerror(errno),
                      errno == EEXIST ? "Remove it, or unpack in another folder"
                                      : "Unpack in a folder of yours");
    ProgressLine line("unpacking");
    Status unpacked = unpackImage(files, entries, folder,
                                  [&](std::uint64_t done, std::uint64_t total) { line.show(done, total); });
    if (unpacked) {
        std::printf("%s\n", folder.c_str());
    } else {
        std::error_code ignored;
        fs::remove_all(folder, ignored);
    }
    return unpacked;
}

Result<fs::path> makeReady(const AppendedImage& image)
{
    SPARSERL_TRY(const fs::path cache, imageCache());
    ProgressLine line("unpacking for the first start of this version");
    return unpackedInCache(image, cache,
                           [&](std::uint64_t done, std::uint64_t total) { line.show(done, total); });
}

/// Becomes the program in `folder`; comes back only where it cannot.
Error start(const AppendedImage& image, const fs::path& folder, char** argv)
{
    const std::string called = argv[0] ? argv[0] : "";
    ::setenv("APPIMAGE", image.file().c_str(), 1);
    ::setenv("APPDIR", folder.c_str(), 1);
    ::setenv("ARGV0", called.c_str(), 1);
    std::error_code ignored;
    ::setenv("OWD", fs::current_path(ignored).c_str(), 1);
    const std::string program = (folder / "AppRun").string();
    std::string own = program;
    argv[0] = own.data();
    ::execv(program.c_str(), argv);
    const int error = errno;
    return {std::string("cannot start the program: ") + std::strerror(error), program, 0,
            error == EACCES ? "Programs may not run from this folder (it may be mounted with noexec): point "
                              "XDG_CACHE_HOME at another one"
                            : "Remove the folder that it is in and try again"};
}

/// What --appimage-NAME asks for.
int serve(std::string_view option, const AppendedImage& image)
{
    if (option == "help") {
        std::fputs(help, stdout);
        return 0;
    }
    if (option == "version") {
        std::printf("sparserl-workbench %s\nimage %s\n", SPARSERL_VERSION, image.digest().c_str());
        return 0;
    }
    if (option == "offset") {
        std::printf("%llu\n", static_cast<unsigned long long>(image.offset()));
        return 0;
    }
    if (option == "extract") {
        if (const Status extracted = extractHere(image); !extracted)
            return complain(extracted.error());
        return 0;
    }
    // Tools that look after AppImages ask every one of them: there is nothing to say.
    if (option == "updateinfo" || option == "updateinformation" || option == "signature")
        return 0;
    complain({"--appimage-" + std::string(option) + " is not known here", {}, 0, "See --appimage-help"});
    return exitUsage;
}

} // namespace

int main(int argc, char** argv)
{
    const auto image = AppendedImage::open(executablePath());
    if (!image)
        return complain(image.error());
    constexpr std::string_view own = "--appimage-";
    if (argc > 1 && std::string_view(argv[1]).starts_with(own))
        return serve(std::string_view(argv[1]).substr(own.size()), *image);
    const auto folder = makeReady(*image);
    if (!folder)
        return complain(folder.error());
    return complain(start(*image, *folder, argv));
}
