// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/beneath.h"
#include "base/cancel.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

// A thin layer over SQLite's C API, for this folder only. Faults are exceptions here, because every line can
// fail in the same way; public functions convert them to an Error (guarded()).
namespace sparserl::sql {

struct Fault : std::runtime_error
{
    Fault(int resultCode, const std::string& message)
        : std::runtime_error(message)
        , code(resultCode)
    {
    }
    int code = 0;         ///< SQLITE_...
    bool damaged() const; ///< The file is not a valid database.
};

/// A prepared statement. Bind from 1, read columns from 0. Run it to its end or let it go out of scope: an
/// open SELECT blocks the writer's checkpoints.
class Statement
{
public:
    Statement(sqlite3* db, std::string_view text);
    Statement(Statement&& other) noexcept
        : m_statement(std::exchange(other.m_statement, nullptr))
        , m_next(other.m_next)
    {
    }
    Statement& operator=(Statement&&) = delete;
    ~Statement();

    /// Binds the next parameter. NaN is stored as NULL.
    Statement& bind(std::int64_t value);
    Statement& bind(int value) { return bind(static_cast<std::int64_t>(value)); }
    Statement& bind(bool value) { return bind(static_cast<std::int64_t>(value)); }
    Statement& bind(double value);
    Statement& bind(std::string_view text);
    Statement& bind(const std::string& text) { return bind(std::string_view(text)); }
    Statement& bind(const char* text) { return bind(std::string_view(text)); }
    Statement& bindBlob(std::string_view bytes);
    Statement& bindNull();
    template <typename... A>
    Statement& bindAll(const A&... values)
    {
        (bind(values), ...);
        return *this;
    }

    bool step(); ///< True if there is a row.
    void run();  ///< Steps to the end, then resets: for statements without rows. Can be bound again.
    void reset();

    std::int64_t integer(int column) const;
    double real(int column) const; ///< NULL reads as NaN.
    std::string text(int column) const;
    std::string_view textView(int column) const; ///< Valid until the next step.
    std::string blob(int column) const;
    bool isNull(int column) const;

private:
    [[noreturn]] void raise(int code) const;
    sqlite3_stmt* m_statement = nullptr;
    int m_next = 1;
};

/// One connection, for use in one thread.
class Database
{
public:
    enum class Mode
    {
        Write,
        Read,
        Look ///< Reads the file as it is, without its write-ahead log. Creates and changes nothing.
    };
    /// Reading also works on read-only storage. Refuses links, and for writing also files with several hard
    /// links.
    Database(const std::filesystem::path& path, Mode mode);
    /// An empty database without a file.
    static Database inMemory();
    Database(Database&& other) noexcept
        : m_db(std::exchange(other.m_db, nullptr))
        , m_immutable(other.m_immutable)
        , m_alone(std::move(other.m_alone))
        , m_stamp(other.m_stamp)
    {
    }
    Database& operator=(Database&& other) noexcept;
    ~Database();

    Statement prepare(std::string_view text) const { return Statement(m_db, text); }
    void execute(const std::string& text);              ///< One or more statements without rows.
    std::int64_t integer(std::string_view query) const; ///< First column of the first row; 0 without rows.
    std::string text(std::string_view query) const;
    std::int64_t changes() const;     ///< Rows changed by the last statement.
    std::int64_t dataVersion() const; ///< Changes when another connection has changed the database.
    /// A file opened without its companions, because the storage is read-only, must not change. True if
    /// another process keeps the index now, or has changed it since it was opened.
    bool isStale() const;
    /// Throws a Fault in that case, because results may mix old and new data.
    void requireFresh() const;
    /// Whether the file still starts with a database header. Reads through SQLite's own handle: if a process
    /// closes another handle of the file, it loses all locks that SQLite holds on it
    /// (sqlite.org/howtocorrupt.html, 2.2).
    bool hasHeader() const;

private:
    friend class Interruptible;
    Database() = default;
    void open(const std::string& name, int flags, Mode mode);
    sqlite3* m_db = nullptr;
    bool m_immutable = false;
    std::filesystem::path m_alone; ///< The file, if it is read without its companions.
    Entry m_stamp;                 ///< State of that file before it was opened.
};

/// A database file before it is opened for writing.
struct Foreign
{
    int version = 0;     ///< PRAGMA user_version.
    bool others = false; ///< The tables belong to another program.
};
/// nullopt if there is no file, or no valid database. Changes nothing.
std::optional<Foreign> foreignDatabase(const std::filesystem::path& file);

/// During its lifetime, statements end with a Fault once the token is cancelled; errorFrom() converts it to
/// interruption(). Both must outlive it.
class Interruptible
{
public:
    Interruptible(const Database& db, const CancelToken& cancel);
    ~Interruptible();
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;

private:
    sqlite3* m_db;
};

/// BEGIN IMMEDIATE; rolls back unless committed.
class Transaction
{
public:
    explicit Transaction(Database& db);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

private:
    Database& m_db;
    bool m_open = true;
};

/// Runs `work` and converts a Fault to an Error about `file`.
Error errorFrom(const Fault& fault, const std::filesystem::path& file);

template <typename F>
auto guarded(const std::filesystem::path& file, F&& work) -> Result<decltype(work())>
{
    try {
        if constexpr (std::is_void_v<decltype(work())>) {
            work();
            return {};
        } else {
            return work();
        }
    } catch (const Fault& fault) {
        return fail(errorFrom(fault, file));
    }
}

} // namespace sparserl::sql
