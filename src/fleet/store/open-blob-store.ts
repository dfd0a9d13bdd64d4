import type { BlobStore } from './blob-store.js';

/** Opens a store by its address: a folder that all of them see, or `s3://BUCKET/PREFIX`. */
export async function openBlobStore(address: string): Promise<BlobStore> {
  if (address.startsWith('s3://')) return (await import('./s3-blobs.js')).openS3Blobs(address);
  const { FolderBlobs } = await import('./folder-blobs.js');
  return new FolderBlobs(address);
}
