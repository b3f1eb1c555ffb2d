// SPDX-License-Identifier: Apache-2.0
// Stands in for a disassembler that hostile input has taken over: tries what it must not be able to do, and
// says what it could. Its input, the last argument, is the path of somebody else's file.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

void say(const char* what, bool could)
{
    std::printf("%s: %s\n", what, could ? "yes" : "no");
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2)
        return 9;
    std::string path;
    if (std::FILE* input = std::fopen(argv[argc - 1], "r")) {
        char letter = 0;
        while (std::fread(&letter, 1, 1, input) == 1)
            path += letter;
        std::fclose(input);
    }
    say("input", !path.empty());
    say("secret", ::open(path.c_str(), O_RDONLY) >= 0);
    say("write", ::open((path + ".new").c_str(), O_WRONLY | O_CREAT, 0600) >= 0);
    say("overwrite", ::open(path.c_str(), O_RDWR) >= 0);
    say("remove", ::unlink(path.c_str()) == 0);
    say("socket", ::socket(AF_INET, SOCK_STREAM, 0) >= 0);
    say("unix socket", ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
    say("fork", ::fork() >= 0);
    say("kill", ::kill(::getppid(), 0) == 0);
    char* const arguments[] = {const_cast<char*>("true"), nullptr};
    say("exec", ::execv("/bin/true", arguments) == 0);
    say("environment", std::getenv("PATH") != nullptr);
    constexpr std::size_t much = 4ull << 30;
    say("memory",
        ::mmap(nullptr, much, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    return 0;
}
