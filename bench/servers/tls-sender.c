/*
 * The floor of a forward over TLS: connections that encrypt and write each message of a stream when it is due, and nothing else.
 * tls-sender PORT CONNECTIONS SECONDS VIDEO_BYTES AUDIO_BYTES: 30 messages of video and 47 of sound a second on each connection.
 * Prints the bytes that it sent and its CPU seconds since all are connected.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { VIDEO_A_SECOND = 30, AUDIO_A_SECOND = 47 };

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec + at.tv_nsec / 1e9;
}

static double cpu(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return use.ru_utime.tv_sec + use.ru_stime.tv_sec + (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static SSL *open_one(SSL_CTX *context, int port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  int socket_fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  if (connect(socket_fd, (struct sockaddr *)&to, sizeof to) != 0) fail("connect");
  setsockopt(socket_fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  SSL *ssl = SSL_new(context);
  SSL_set_fd(ssl, socket_fd);
  if (SSL_connect(ssl) != 1) fail("TLS handshake");
  return ssl;
}

static void sleep_until(double at) {
  double left = at - now();
  if (left > 0) usleep((useconds_t)(left * 1e6));
}

int main(int count, char **args) {
  if (count != 6) return 2;
  int port = atoi(args[1]), connections = atoi(args[2]), video = atoi(args[4]), audio = atoi(args[5]);
  double seconds = atof(args[3]), sent = 0;
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(context, "ECDHE-RSA-AES128-GCM-SHA256");
  SSL **all = calloc(connections, sizeof *all);
  for (int i = 0; i < connections; i++) all[i] = open_one(context, port);
  unsigned char *bytes = calloc(1, video > audio ? video : audio);
  double start = now(), cpu_start = cpu(), next_video = start, next_audio = start;
  while (now() < start + seconds) {
    int is_video = next_video <= next_audio;
    sleep_until(is_video ? next_video : next_audio);
    int length = is_video ? video : audio;
    for (int i = 0; i < connections; i++) {
      if (SSL_write(all[i], bytes, length) != length) fail("write");
      sent += length;
    }
    if (is_video) next_video += 1.0 / VIDEO_A_SECOND;
    else next_audio += 1.0 / AUDIO_A_SECOND;
  }
  printf("{\"bytes\":%.0f,\"cpu\":%.6f}\n", sent, cpu() - cpu_start);
  return 0;
}
