/** A file that was dropped or chosen, and its path in its folder. */
export interface DroppedFile {
  path: string;
  file: File;
}

/** Folders in which nobody keeps texts of their own. */
const SKIPPED = /^(?:\.|node_modules$|__pycache__$)/;

/** The files of a choice; of a folder with their paths in it. */
export function chosenFiles(files: Iterable<File>): DroppedFile[] {
  return [...files]
    .map((file) => ({ file, path: withoutRoot(file.webkitRelativePath) || file.name }))
    .filter(({ path }) => !path.split('/').some((part) => SKIPPED.test(part)));
}

/** The files of a drop, with those inside of folders. */
export async function droppedFiles(transfer: DataTransfer): Promise<DroppedFile[]> {
  // Entries are only there while the event is: all are asked for before anything is waited for.
  const entries = [...transfer.items]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  if (entries.length === 0) return chosenFiles(transfer.files);
  // A folder that is dropped alone is the collection; of several, each is a part of it.
  const [only] = entries;
  if (entries.length === 1 && only.isDirectory) return filesIn(only as FileSystemDirectoryEntry, '');
  return (await Promise.all(entries.map((entry) => filesOf(entry, entry.name)))).flat();
}

function withoutRoot(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}

async function filesOf(entry: FileSystemEntry, path: string): Promise<DroppedFile[]> {
  if (SKIPPED.test(entry.name)) return [];
  if (entry.isDirectory) return filesIn(entry as FileSystemDirectoryEntry, `${path}/`);
  const file = await new Promise<File>((fulfil, reject) =>
    (entry as FileSystemFileEntry).file(fulfil, reject),
  );
  return [{ path, file }];
}

async function filesIn(folder: FileSystemDirectoryEntry, prefix: string): Promise<DroppedFile[]> {
  const reader = folder.createReader();
  const files: DroppedFile[] = [];
  for (;;) {
    // A browser gives a hundred at a time.
    const entries = await new Promise<FileSystemEntry[]>((fulfil, reject) =>
      reader.readEntries(fulfil, reject),
    );
    if (entries.length === 0) return files;
    for (const entry of entries) files.push(...(await filesOf(entry, `${prefix}${entry.name}`)));
  }
}
