/**
 * Runs when nearmiss is installed, before the install script of onnxruntime-node: npm runs the `preinstall` of every
 * package before the `postinstall` of any. On Linux that script would fetch some hundred megabytes of CUDA libraries
 * from a host that is not the package registry, and would let the whole install fail where that host cannot be
 * reached. It fetches nothing where the files are there already, so they are put there, empty: nothing loads them unless the
 * provider `cuda` is asked for. The libraries for the CPU are inside the package.
 *
 * Those who want CUDA: `ONNXRUNTIME_NODE_INSTALL=true npm rebuild onnxruntime-node`, which overwrites them.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const { ONNXRUNTIME_NODE_INSTALL, npm_config_onnxruntime_node_install } = process.env;
// Whoever said what to do with them is not overruled.
if (!(ONNXRUNTIME_NODE_INSTALL || npm_config_onnxruntime_node_install)) {
  try {
    leavePlaceholders();
  } catch (error) {
    // Where this fails, the install goes on as it would without.
    console.warn(`nearmiss: cannot keep onnxruntime-node from fetching CUDA libraries: ${error.message}`);
  }
}

function leavePlaceholders() {
  const require = createRequire(import.meta.url);
  const runtime = dirname(require.resolve('onnxruntime-node/package.json'));
  const { requirements, manifests } = require(join(runtime, 'script/install-metadata.js'));
  const platform = `${process.platform}/${process.arch}`;
  const libraries = join(runtime, 'bin/napi-v6', platform);
  for (const name of requirements[platform] ?? []) {
    for (const file of Object.keys(manifests[`${platform}:${name}`])) {
      const path = join(libraries, file);
      if (existsSync(path)) continue;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, '');
    }
  }
}
