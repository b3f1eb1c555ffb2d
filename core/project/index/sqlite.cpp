// SPDX-License-Identifier: Apache-2.0
#include "project/index/sqlite.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/interruption.h"
#include "base/lock.h"
#include "base/system_remedy.h"
#include "base/trust.h"
#include "project/files/file_handle.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits>
#include <sqlite3.h>
#include <sys/stat.h>

namespace sparserl::sql {
namespace {

/// inflate(BLOB): the text of a compressed program, so that filters can look into it.
void inflate(sqlite3_context* context, int, sqlite3_value** values)
{
    const auto* bytes = static_cast<const char*>(sqlite3_value_blob(values[0]));
    const int size = sqlite3_value_bytes(values[0]);
    if (bytes == nullptr) {
        sqlite3_result_null(context);
        return;
    }
    const auto text = zlibDecompress({bytes, static_cast<std::size_t>(size)}, 1 << 20);
    if (text)
        sqlite3_result_text(context, text->data(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
    else
        sqlite3_result_null(context);
}

} // namespace

bool Fault::damaged() const
{
    const int primary = code & 0xff;
    // Our own statements fail with the others only where the tables are not ours any more.
    return primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB || primary == SQLITE_ERROR ||
           primary == SQLITE_SCHEMA || primary == SQLITE_MISMATCH || primary == SQLITE_CONSTRAINT ||
           primary == SQLITE_FORMAT || primary == SQLITE_TOOBIG;
}

Statement::Statement(sqlite3* db, std::string_view text)
{
    const int code =
        sqlite3_prepare_v2(db, text.data(), static_cast<int>(text.size()), &m_statement, nullptr);
    if (code != SQLITE_OK)
        throw Fault(sqlite3_extended_errcode(db), sqlite3_errmsg(db));
}

Statement::~Statement()
{
    sqlite3_finalize(m_statement);
}

void Statement::raise(int code) const
{
    sqlite3* db = sqlite3_db_handle(m_statement);
    throw Fault(code, sqlite3_errmsg(db));
}

Statement& Statement::bind(std::int64_t value)
{
    if (const int code = sqlite3_bind_int64(m_statement, m_next++, value); code != SQLITE_OK)
        raise(code);
    return *this;
}

Statement& Statement::bind(double value)
{
    const int code = std::isnan(value) ? sqlite3_bind_null(m_statement, m_next)
                                       : sqlite3_bind_double(m_statement, m_next, value);
    ++m_next;
    if (code != SQLITE_OK)
        raise(code);
    return *this;
}

Statement& Statement::bind(std::string_view text)
{
    // A null pointer would be NULL, not the empty text.
    const char* data = text.data() != nullptr ? text.data() : "";
    const int code =
        sqlite3_bind_text64(m_statement, m_next++, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    if (code != SQLITE_OK)
        raise(code);
    return *this;
}

Statement& Statement::bindBlob(std::string_view bytes)
{
    const char* data = bytes.data() != nullptr ? bytes.data() : "";
    if (const int code = sqlite3_bind_blob64(m_statement, m_next++, data, bytes.size(), SQLITE_TRANSIENT);
        code != SQLITE_OK)
        raise(code);
    return *this;
}

Statement& Statement::bindNull()
{
    if (const int code = sqlite3_bind_null(m_statement, m_next++); code != SQLITE_OK)
        raise(code);
    return *this;
}

bool Statement::step()
{
    const int code = sqlite3_step(m_statement);
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        raise(code);
    return false;
}

void Statement::run()
{
    while (step()) {
    }
    reset();
}

void Statement::reset()
{
    sqlite3_reset(m_statement);
    m_next = 1;
}

std::int64_t Statement::integer(int column) const
{
    return sqlite3_column_int64(m_statement, column);
}

double Statement::real(int column) const
{
    return isNull(column) ? std::numeric_limits<double>::quiet_NaN()
                          : sqlite3_column_double(m_statement, column);
}

std::string Statement::text(int column) const
{
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
    return data == nullptr
               ? std::string()
               : std::string(data, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column)));
}

std::string_view Statement::textView(int column) const
{
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
    return text ? std::string_view(text, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column)))
                : std::string_view();
}

std::string Statement::blob(int column) const
{
    const auto* data = static_cast<const char*>(sqlite3_column_blob(m_statement, column));
    return data == nullptr
               ? std::string()
               : std::string(data, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column)));
}

bool Statement::isNull(int column) const
{
    return sqlite3_column_type(m_statement, column) == SQLITE_NULL;
}

namespace {

/// A path as part of a URI.
std::string uriOf(const std::filesystem::path& path)
{
    std::string uri = "file:";
    for (const char c : path.string()) {
        if (c == '?' || c == '#' || c == '%')
            uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
        else
            uri += c;
    }
    return uri + "?immutable=1";
}

/// Whether somebody keeps the index, and may write it at any time.
bool isKept(const std::filesystem::path& path)
{
    return FileLock::isLocked(path.parent_path() / "index.lock");
}

Fault keptFault()
{
    return {SQLITE_BUSY, "another program writes it, and its changes cannot be followed from here"};
}

/// Where nothing can be written, SQLite cannot make the files beside a database that let several programs use
/// it. Without a log of changes and without a keeper there is no other program, and the file alone is the
/// whole database.
bool canBeReadAlone(const std::filesystem::path& path, const Fault& fault)
{
    const int code = fault.code & 0xff;
    if (code != SQLITE_CANTOPEN && code != SQLITE_READONLY)
        return false;
    if (glance(path.string() + "-wal").bytes > 0 || !glance(path).regular)
        return false;
    if (isKept(path)) {
        if (fault.code == SQLITE_CANTOPEN_SYMLINK) // it says what is in the way
            return false;
        throw keptFault();
    }
    return true;
}

/// What others can lay in the place of a database, or of what SQLite keeps beside it (which readers write,
/// too): writing would change something else.
void refuseStrange(const std::filesystem::path& path, bool written, int notAFile)
{
    const auto refuse = [&](int code, const std::string& why) {
        throw Fault(code, path.filename().string() + why);
    };
    Spot spot;
    struct stat info
    {
    };
    if (written)
        if (const auto trusted = requireTrust(path.parent_path()); !trusted)
            throw Fault(SQLITE_READONLY, trusted.error().what);
    if (const auto code = findSpot(path, written ? Access::Write : Access::Read, spot))
        refuse(SQLITE_CANTOPEN_SYMLINK, ": " + systemReason(code.value()));
    if (::fstatat(spot.at(), spot.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (S_ISLNK(info.st_mode))
        refuse(SQLITE_CANTOPEN_SYMLINK, ": " + systemReason(ELOOP));
    if (S_ISREG(info.st_mode) && info.st_nlink > 1 && written)
        refuse(SQLITE_CANTOPEN_SYMLINK, ": " + systemReason(EMLINK));
    if (!S_ISREG(info.st_mode))
        refuse(notAFile, " is not a regular file");
}

/// A rollback journal may end with the name of another one, of a change to several databases. SQLite deletes
/// that file, wherever it is, once it has rolled back. An index is never changed together with others.
void refuseNamedJournal(const std::filesystem::path& journal)
{
    constexpr std::string_view magic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
    if (glance(journal).bytes < magic.size())
        return;
    const auto file = FileHandle::openRead(journal);
    const auto size = file ? file->size() : Result<std::int64_t>(fail(file.error()));
    const auto end =
        size ? file->read(std::max<std::int64_t>(0, *size - 8), 8) : Result<std::string>(fail(size.error()));
    if (!end)
        throw Fault(SQLITE_IOERR_READ, end.error().what);
    if (*end == magic)
        throw Fault(SQLITE_CORRUPT,
                    journal.filename().string() + " names another file, which belongs to no index");
}

void refuseStrangeCompanions(const std::filesystem::path& file)
{
    for (const char* suffix : {"-wal", "-shm", "-journal"})
        refuseStrange(file.string() + suffix, true, SQLITE_CANTOPEN_SYMLINK);
    refuseNamedJournal(file.string() + "-journal");
}

} // namespace

Database::Database(const std::filesystem::path& file, Mode mode)
{
    refuseStrange(file, mode == Mode::Write, SQLITE_NOTADB);
    // SQLite takes no link then, wherever it is; those on the way to the project are the user's.
    const std::filesystem::path path = resolvedPlace(file);
    if (mode == Mode::Write) {
        refuseStrangeCompanions(file);
        open(path.string(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, mode);
        return;
    }
    if (mode == Mode::Look) {
        open(uriOf(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, mode);
        m_immutable = true;
        return;
    }
    try {
        refuseStrangeCompanions(file);
        open(path.string(), SQLITE_OPEN_READONLY, mode);
    } catch (const Fault& fault) {
        m_stamp = glance(path);
        if (!canBeReadAlone(path, fault))
            throw;
        open(uriOf(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, mode);
        m_immutable = true;
        m_alone = path;
    }
}

Database Database::inMemory()
{
    Database db;
    db.open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, Mode::Write);
    return db;
}

void Database::open(const std::string& name, int flags, Mode mode)
{
    const int code =
        sqlite3_open_v2(name.c_str(), &m_db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, nullptr);
    if (code != SQLITE_OK) {
        const std::string message = m_db != nullptr ? sqlite3_errmsg(m_db) : sqlite3_errstr(code);
        sqlite3_close(m_db);
        m_db = nullptr;
        throw Fault(code, message);
    }
    try {
        sqlite3_extended_result_codes(m_db, 1);
        // A file that others have written runs nothing of theirs: an index has no views and no triggers.
        for (const auto& [option, on] :
             {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1), std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
              std::pair(SQLITE_DBCONFIG_ENABLE_VIEW, 0), std::pair(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)})
            sqlite3_db_config(m_db, option, on, nullptr);
        sqlite3_busy_timeout(m_db, 5000);
        sqlite3_create_function(m_db, "inflate", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, &inflate,
                                nullptr, nullptr);
        // Memory-mapped reads make SQLite's WAL-reset bug (3.7.0 to 3.51.2) worse, and only one connection
        // may ever checkpoint: the indexer's, which holds index.lock.
        execute("PRAGMA mmap_size=0");
        if (mode == Mode::Write)
            execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY; "
                    "PRAGMA cache_size=-32768");
        else
            execute("PRAGMA wal_autocheckpoint=0; PRAGMA query_only=1; PRAGMA temp_store=MEMORY; "
                    "PRAGMA schema_version"); // the first that reads the file
    } catch (...) {
        sqlite3_close(m_db);
        m_db = nullptr;
        throw;
    }
}

std::optional<Foreign> foreignDatabase(const std::filesystem::path& file)
{
    if (glance(file).bytes == 0)
        return std::nullopt;
    try {
        const Database db(file, Database::Mode::Look);
        Foreign found{static_cast<int>(db.integer("PRAGMA user_version")), true};
        const auto tables = db.integer("SELECT count(*) FROM sqlite_master");
        const auto own =
            db.integer("SELECT count(*) FROM sqlite_master WHERE type='table' AND name IN ('run', 'meta')");
        found.others = tables > 0 && (own < 2 || found.version < 1);
        return found;
    } catch (const Fault&) {
        return std::nullopt; // damaged: whoever opens it finds out
    }
}

Database& Database::operator=(Database&& other) noexcept
{
    std::swap(m_db, other.m_db);
    std::swap(m_immutable, other.m_immutable);
    std::swap(m_alone, other.m_alone);
    std::swap(m_stamp, other.m_stamp);
    return *this;
}

Database::~Database()
{
    sqlite3_close(m_db);
}

void Database::execute(const std::string& text)
{
    char* message = nullptr;
    const int code = sqlite3_exec(m_db, text.c_str(), nullptr, nullptr, &message);
    if (code != SQLITE_OK) {
        const std::string copy = message != nullptr ? message : sqlite3_errstr(code);
        sqlite3_free(message);
        throw Fault(code, copy);
    }
}

std::int64_t Database::integer(std::string_view query) const
{
    Statement statement = prepare(query);
    return statement.step() ? statement.integer(0) : 0;
}

std::string Database::text(std::string_view query) const
{
    Statement statement = prepare(query);
    return statement.step() ? statement.text(0) : std::string();
}

std::int64_t Database::changes() const
{
    return sqlite3_changes64(m_db);
}

std::int64_t Database::dataVersion() const
{
    // Of an immutable file SQLite would count how often it was read.
    return m_immutable ? 0 : integer("PRAGMA data_version");
}

bool Database::isStale() const
{
    if (m_alone.empty())
        return false;
    const Entry now = glance(m_alone);
    return now.bytes != m_stamp.bytes || now.modified != m_stamp.modified ||
           glance(m_alone.string() + "-wal").bytes > 0 || isKept(m_alone);
}

void Database::requireFresh() const
{
    if (isStale())
        throw keptFault();
}

bool Database::hasHeader() const
{
    sqlite3_file* file = nullptr;
    std::array<char, 16> bytes{};
    return sqlite3_file_control(m_db, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file)) ==
               SQLITE_OK &&
           file != nullptr && file->pMethods != nullptr &&
           file->pMethods->xRead(file, bytes.data(), static_cast<int>(bytes.size()), 0) == SQLITE_OK &&
           std::string_view(bytes.data(), bytes.size()) == std::string_view("SQLite format 3\0", 16);
}

Transaction::Transaction(Database& db)
    : m_db(db)
{
    // IMMEDIATE: a read that turns into a write later would fail at once, whatever the busy timeout.
    m_db.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction()
{
    if (!m_open)
        return;
    try {
        m_db.execute("ROLLBACK");
    } catch (const Fault&) {
        // SQLite has rolled back by itself.
    }
}

void Transaction::commit()
{
    m_db.execute("COMMIT");
    m_open = false;
}

Interruptible::Interruptible(const Database& db, const CancelToken& cancel)
    : m_db(db.m_db)
{
    if (cancel.cancelled())
        throw Fault(SQLITE_INTERRUPT, "cancelled");
    constexpr int instructions = 20'000; // of SQLite's machine: a millisecond or less
    sqlite3_progress_handler(
        m_db, instructions,
        [](void* token) { return static_cast<const CancelToken*>(token)->cancelled() ? 1 : 0; },
        const_cast<CancelToken*>(&cancel));
}

Interruptible::~Interruptible()
{
    sqlite3_progress_handler(m_db, 0, nullptr, nullptr);
}

Error errorFrom(const Fault& fault, const std::filesystem::path& file)
{
    if ((fault.code & 0xff) == SQLITE_INTERRUPT)
        return interruption();
    std::string remedy;
    if (fault.code == SQLITE_CANTOPEN_SYMLINK)
        return {std::string("the index cannot be used: ") + fault.what(), file.string(), 0,
                "Move it away: the index is rebuilt from the runs"};
    switch (fault.code & 0xff) {
    case SQLITE_FULL:
        remedy = systemRemedy(ENOSPC);
        break;
    case SQLITE_IOERR: // also a file system's or a shell's limit: the library keeps no errno
        remedy =
            "Check that the disk works and is not full, and that files may grow (ulimit -f), then try again";
        break;
    case SQLITE_NOMEM:
        remedy = systemRemedy(ENOMEM);
        break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        remedy = "Another program is using the index; try again in a moment";
        break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:
        remedy = "Rebuild it with `sparserl project reindex`; nothing is lost";
        break;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        remedy = "Check the permissions of the project folder, or copy the project to where you can write";
        break;
    default:
        break;
    }
    return {std::string("the index cannot be used: ") + fault.what(), file.string(), 0, remedy};
}

} // namespace sparserl::sql
