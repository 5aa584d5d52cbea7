#include <cstdio>
#include <string>

int simulator_record_bytes();
int simulator_answer();
std::string simulator_description();
int gpu_record_bytes();
int gpu_answer();
std::string gpu_description();

int main() {
  const int on_simulator = simulator_answer();
  const int on_gpu = gpu_answer();
  std::printf("host: %d %d, kernel: %d %d\n", gpu_record_bytes(), simulator_record_bytes(), on_gpu,
              on_simulator);
  const bool right = gpu_record_bytes() == 4 && simulator_record_bytes() == 32 &&
                     on_simulator == 32 && (on_gpu == 4 || on_gpu == -1) &&
                     gpu_description() == simulator_description();
  return right ? 0 : 1;
}
