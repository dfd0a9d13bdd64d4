import { z } from 'zod';
import { COLBERT_METADATA } from '../folder/token-settings.js';
import { TOKENIZER_FILES } from '../folder/tokenizer-files.js';
import { noWeights, pickledOnly } from '../folder/weights.js';
import { chooseExport, isDataOf } from '../onnx/export-files.js';

/** What the hub tells about one revision of a model (`GET /api/models/<id>/revision/<revision>?blobs=true`). */
export const hubModelSchema = z.looseObject({
  /** The commit, 40 hex digits. */
  sha: z.string().regex(/^[0-9a-f]{40}$/, 'expected a commit of 40 hex digits'),
  siblings: z.array(
    z.looseObject({
      rfilename: z.string(),
      size: z.number().optional(),
      /** Git's name of the content, for files kept in git itself. */
      blobId: z.string().optional(),
      /** For large files. */
      lfs: z.looseObject({ sha256: z.string().optional(), size: z.number().optional() }).nullish(),
    }),
  ),
});

/** A file to fetch, with what the hub says about its content. */
export interface HubFile {
  /** Path inside the repository. */
  name: string;
  size?: number;
  sha256?: string;
  gitBlob?: string;
}

const ROOT_FILES = new Set([
  'config.json',
  'modules.json',
  'config_sentence_transformers.json',
  COLBERT_METADATA,
  ...TOKENIZER_FILES,
]);
const SETTINGS = /^sentence_[\w-]+_config\.json$/;
const MODULE_FOLDER = /^(\d+_\w+)\/([^/]+)$/;

/**
 * Chooses what is needed to run or train a model: settings, tokenizer, module folders and the weights once, as
 * safetensors, or where there are none, as an ONNX export. Other exports (OpenVINO, TensorFlow, …) stay where they are.
 */
export function chooseFiles(id: string, { siblings }: z.infer<typeof hubModelSchema>): HubFile[] {
  const names = siblings.map(({ rfilename }) => rfilename);
  const weights = new Set([...chooseWeights(id, names), ...chooseModuleWeights(id, names)]);
  const isSetting = (name: string): boolean => ROOT_FILES.has(name) || SETTINGS.test(name);
  const wanted = (name: string): boolean =>
    weights.has(name) || isSetting(MODULE_FOLDER.exec(name)?.[2] ?? name);
  return siblings
    .filter(({ rfilename }) => wanted(rfilename))
    .map(({ rfilename, size, blobId, lfs }) => ({
      name: rfilename,
      size: lfs?.size ?? size,
      ...(lfs ? { sha256: lfs.sha256 } : { gitBlob: blobId }),
    }));
}

/** The encoder's weights, at the top or in `0_Transformer/`. */
function chooseWeights(id: string, names: string[]): string[] {
  const top = names.some((name) => name.startsWith('0_Transformer/')) ? '0_Transformer/' : '';
  const here = names.filter((name) => name.startsWith(top) && !name.slice(top.length).includes('/'));
  const files = here.filter((name) => name.endsWith('.safetensors'));
  if (files.includes(`${top}model.safetensors`)) return [`${top}model.safetensors`];
  const index = `${top}model.safetensors.index.json`;
  if (here.includes(index)) {
    return [index, ...files.filter((name) => /-\d+-of-\d+\.safetensors$/.test(name))];
  }
  if (files.length > 0) return files;
  const exported = chooseExport(id, names);
  if (exported !== undefined) return [exported, ...names.filter((name) => isDataOf(exported, name))];
  throw here.some((name) => name.endsWith('.bin')) ? pickledOnly(id) : noWeights(id);
}

function chooseModuleWeights(id: string, names: string[]): string[] {
  const chosen: string[] = [];
  for (const name of names) {
    const [, folder, file] = MODULE_FOLDER.exec(name) ?? [];
    if (file === 'model.safetensors') chosen.push(name);
    const isPickle = file === 'pytorch_model.bin' && folder !== '0_Transformer';
    if (isPickle && !names.includes(`${folder}/model.safetensors`)) throw pickledOnly(`${id}/${folder}`);
  }
  return chosen;
}
