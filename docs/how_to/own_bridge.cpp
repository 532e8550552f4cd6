// A client of own_bridge.py: sends its state at every tick, prints what servos shall do.
//
//     g++ -std=c++17 -O2 docs/how_to/own_bridge.cpp -o own_bridge
//     ./own_bridge PORT TICKS
//
// Here the robot stays where the behavior starts; a simulator or a robot puts its own
// measured state into `state`.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

// Lines of text over a socket.
class Line {
 public:
  explicit Line(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
      throw std::runtime_error("no bridge at this port");
  }
  ~Line() { ::close(socket_); }

  void send(const std::string& text) const {
    for (size_t sent = 0; sent < text.size();) {
      const ssize_t n = ::send(socket_, text.data() + sent, text.size() - sent, 0);
      if (n <= 0) throw std::runtime_error("the bridge is gone");
      sent += static_cast<size_t>(n);
    }
  }

  std::string read() {
    size_t end;
    while ((end = held_.find('\n')) == std::string::npos) {
      char part[4096];
      const ssize_t n = ::recv(socket_, part, sizeof part, 0);
      if (n <= 0) throw std::runtime_error("the bridge is gone");
      held_.append(part, static_cast<size_t>(n));
    }
    std::string line = held_.substr(0, end);
    held_.erase(0, end + 1);
    return line;
  }

 private:
  int socket_;
  std::string held_;
};

// The numbers of an array in a line of JSON.
std::vector<double> numbers(const std::string& json, const std::string& key) {
  const size_t at = json.find('"' + key + "\": [");
  if (at == std::string::npos) throw std::runtime_error("no " + key + " in: " + json);
  const char* p = json.c_str() + json.find('[', at) + 1;
  std::vector<double> found;
  for (char* end; *p != ']'; p = *end == ',' ? end + 1 : end)
    found.push_back(std::strtod(p, &end));
  return found;
}

std::string array(const std::vector<double>& values) {
  std::ostringstream out;
  out.precision(17);
  for (size_t i = 0; i < values.size(); ++i) out << (i ? "," : "[") << values[i];
  return out.str() + "]";
}

int main(int count, char** given) try {
  if (count != 3) throw std::runtime_error("call: own_bridge PORT TICKS");
  Line line(std::atoi(given[1]));
  const std::string header = line.read();
  const std::vector<double> q = numbers(header, "q"), v = numbers(header, "v");
  const double period = std::strtod(header.c_str() + header.find("\"period\": ") + 10, nullptr);
  std::vector<double> effort;
  for (int tick = 0; tick < std::atoi(given[2]); ++tick) {
    const std::string state = "\"q\": " + array(q) + ", \"v\": " + array(v);
    line.send("{\"t\": " + std::to_string(tick * period) + ", " + state + "}\n");
    effort = numbers(line.read(), "effort");
  }
  for (const double each : effort) std::printf("%.9g\n", each);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
