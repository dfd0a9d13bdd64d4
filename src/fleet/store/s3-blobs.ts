import { setTimeout as sleep } from 'node:timers/promises';
import type { AwsClient } from 'aws4fetch';
import { NearmissError, UsageError } from '../../base/errors.js';
import { optionalPackages } from '../../base/optional-package.js';
import type { BlobStore } from './blob-store.js';

const [TRIES, FIRST_PAUSE_MS, TRY_MS] = [6, 200, 300_000];
const [NOT_FOUND, SERVER_ERROR, TOO_MANY] = [404, 500, 429];

/** Opens `s3://BUCKET/PREFIX`; key, region and endpoint come from the environment variables that every S3 client reads. */
export async function openS3Blobs(address: string): Promise<BlobStore> {
  const parts = /^s3:\/\/([a-z0-9][a-z0-9.-]+)(?:\/(.*?))?\/?$/.exec(address);
  if (!parts) {
    throw new UsageError(`--store: expected s3://BUCKET/PREFIX, got ${JSON.stringify(address)}`);
  }
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_ENDPOINT_URL } = process.env;
  const region = process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION ?? 'us-east-1';
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    throw new NearmissError(`--store ${address}: there is no key for it in the environment`, {
      hint: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; AWS_REGION, and AWS_ENDPOINT_URL for other stores than Amazon’s',
    });
  }
  const { AwsClient } = await loadClient();
  const client = new AwsClient({
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN,
    region,
    service: 's3',
    // Tried again here, with what is wrong told.
    retries: 0,
  });
  const endpoint = (AWS_ENDPOINT_URL ?? `https://s3.${region}.amazonaws.com`).replace(/\/$/, '');
  const [, bucket, prefix] = parts;
  return new S3Blobs(address, client, `${endpoint}/${bucket}/${prefix ? `${prefix}/` : ''}`);
}

/** An S3-compatible store: what is put appears whole. */
class S3Blobs implements BlobStore {
  readonly address: string;
  readonly #client: AwsClient;
  readonly #base: string;

  constructor(address: string, client: AwsClient, base: string) {
    this.address = address;
    this.#client = client;
    this.#base = base;
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    return this.#ask('GET', name);
  }

  async has(name: string): Promise<boolean> {
    return (await this.#ask('HEAD', name)) !== undefined;
  }

  async put(name: string, content: Uint8Array): Promise<void> {
    await this.#ask('PUT', name, content);
  }

  async remove(name: string): Promise<void> {
    await this.#ask('DELETE', name);
  }

  /** What the store says; undefined where there is no such blob. */
  async #ask(method: string, name: string, body?: Uint8Array): Promise<Uint8Array | undefined> {
    const url = `${this.#base}${name.split('/').map(encodeURIComponent).join('/')}`;
    let reason = '';
    for (let tried = 0; tried < TRIES; tried++) {
      if (tried > 0) await sleep(FIRST_PAUSE_MS * 2 ** (tried - 1));
      try {
        const response = await this.#client.fetch(url, {
          method,
          // A copy of its own: what is sent may be a part of something larger.
          body: body && new Uint8Array(body),
          signal: AbortSignal.timeout(TRY_MS),
        });
        // Read here: a connection may break in the middle of an answer, too.
        if (response.ok) return new Uint8Array(await response.arrayBuffer());
        const said = await response.text();
        if (response.status === NOT_FOUND && method !== 'PUT') return undefined;
        reason = `${response.status} ${/<Message>(.*?)<\/Message>/.exec(said)?.[1] ?? said.slice(0, 200)}`;
        if (response.status < SERVER_ERROR && response.status !== TOO_MANY) break;
      } catch (error) {
        const { cause, message } = error as Error;
        reason = cause instanceof Error ? cause.message : message;
      }
    }
    throw new NearmissError(`--store ${this.address}: ${method} ${name}: ${reason}`, {
      hint: 'is the bucket there, do the keys allow it, and is AWS_ENDPOINT_URL right?',
    });
  }
}

function loadClient(): Promise<typeof import('aws4fetch')> {
  return optionalPackages('--store s3://…', ['aws4fetch'], () => import('aws4fetch'));
}
