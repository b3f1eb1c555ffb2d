// SPDX-License-Identifier: Apache-2.0
#include "policy/files/output_file.h"

#include "base/file_error.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace sparserl {

OutputFile::OutputFile(std::filesystem::path path, Descriptor file)
    : m_path(std::move(path))
    , m_file(std::move(file))
{
}

Result<OutputFile> OutputFile::create(const std::filesystem::path& path)
{
    SPARSERL_TRY(Descriptor file, openFile(path, O_WRONLY | O_CREAT | O_TRUNC, "create the file"));
    return OutputFile(path, std::move(file));
}

void OutputFile::put(const void* bytes, std::uint64_t size)
{
    const char* from = static_cast<const char*>(bytes);
    while (m_error == 0 && size > 0) {
        const ssize_t n = ::write(m_file.get(), from, std::min<std::uint64_t>(size, 1u << 30));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            m_error = n < 0 ? errno : EIO;
            return;
        }
        from += n;
        size -= static_cast<std::uint64_t>(n);
    }
}

Status OutputFile::finish()
{
    if (m_error == 0 && ::fsync(m_file.get()) != 0)
        m_error = errno;
    if (::close(m_file.release()) != 0 && m_error == 0)
        m_error = errno;
    if (m_error != 0)
        return fail(fileError("writing failed", m_path, m_error));
    return {};
}

} // namespace sparserl
