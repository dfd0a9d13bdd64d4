import { connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server that can be cut, and mended at the same port. */
export class FlakyProxy {
  readonly #to: { host: string; port: number };
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;
  /** Bytes go nowhere, as behind a firewall that drops them. */
  silent = false;

  constructor(host: string, port: number) {
    this.#to = { host, port };
  }

  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  async open(): Promise<void> {
    const server = createServer((from) => {
      const to = connect(this.#to);
      for (const [socket, other] of [
        [from, to],
        [to, from],
      ]) {
        this.#sockets.add(socket);
        socket.on('data', (bytes) => void (this.silent || other.write(bytes)));
        socket.on('error', () => {});
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
      }
    });
    await new Promise<void>((done) => server.listen(this.#port, '127.0.0.1', done));
    this.#port = (server.address() as { port: number }).port;
    this.#server = server;
  }

  async cut(): Promise<void> {
    const closed = new Promise((done) => this.#server?.close(done));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
