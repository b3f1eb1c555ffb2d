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

// A thin layer over SQLite's C API, for this folder only. It reports faults as exceptions, because every
// statement can fail in the same way. Public functions of the folder convert them to an Error (guarded()).
namespace sparserl::sql {

struct Fault : std::runtime_error
{
    Fault(int resultCode, const std::string& message)
        : std::runtime_error(message)
        , code(resultCode)
    {
    }
    int code = 0;         ///< SQLite's result code.
    bool damaged() const; ///< Returns whether the file is not a valid database.
};

/// A prepared statement. Each bind() sets the next parameter; columns are numbered from 0. Run a statement to
/// its end or destroy it, because an open SELECT blocks the writer's checkpoints.
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

    bool step(); ///< Advances to the next row. Returns false if there is none.
    void run();  ///< Runs a statement without rows and resets it, so that parameters can be bound again.
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

/// A connection to a database, for use in one thread.
class Database
{
public:
    enum class Mode
    {
        Write,
        Read,
        Look ///< Reads the file without its write-ahead log. Creates and changes nothing.
    };
    /// Opens a database. Reading also works on read-only storage. Throws a Fault for a symbolic link and, if
    /// the database is opened for writing, for a file with several hard links.
    Database(const std::filesystem::path& path, Mode mode);
    /// Returns an empty database without a file.
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
    void execute(const std::string& text); ///< Runs one or more statements without rows.
    /// Returns the first column of the first row, or 0 without rows.
    std::int64_t integer(std::string_view query) const;
    std::string text(std::string_view query) const;
    std::int64_t changes() const; ///< Returns the number of rows that the last statement has changed.
    /// Returns a number that changes when another connection has changed the database.
    std::int64_t dataVersion() const;
    /// Returns whether results may be out of date. On read-only storage, the file is opened without its
    /// companions, and must then not change. The result is true if another process keeps the index now, or
    /// has changed it since it was opened.
    bool isStale() const;
    /// Throws a Fault if isStale(), because results may mix old and new data.
    void requireFresh() const;
    /// Returns whether the file still starts with the header of a database. Reads it through SQLite's own
    /// handle, because a process that closes another handle of the file loses all locks that SQLite holds on
    /// it (sqlite.org/howtocorrupt.html, 2.2).
    bool hasHeader() const;

private:
    friend class Interruptible;
    Database() = default;
    void open(const std::string& name, int flags, Mode mode);
    sqlite3* m_db = nullptr;
    bool m_immutable = false;
    std::filesystem::path m_alone; ///< Path of the file if it is read without its companions.
    Entry m_stamp;                 ///< State of this file before it was opened.
};

/// Facts about a database file that has not been opened for writing yet.
struct Foreign
{
    int version = 0;     ///< PRAGMA user_version.
    bool others = false; ///< The tables belong to another program.
};
/// Examines a file without changing it. Returns nullopt if the file does not exist or is not a valid
/// database.
std::optional<Foreign> foreignDatabase(const std::filesystem::path& file);

/// Makes statements of a database cancellable for its lifetime. Once the token is cancelled, statements end
/// with a Fault, which errorFrom() converts to interruption(). Database and token must outlive it.
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

/// A transaction that starts with BEGIN IMMEDIATE. The destructor rolls it back unless it was committed.
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

/// errorFrom() converts a Fault to an Error about `file`; guarded() runs `work` and does the same with a
/// Fault that it throws.
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
