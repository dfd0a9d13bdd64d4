import { Option } from 'commander';

/** What ONNX Runtime computes on; `Session` refuses what this machine does not have. */
export function providerOption(): Option {
  return new Option(
    '--provider <name>',
    'what ONNX Runtime computes on: cpu, cuda, webgpu, coreml, dml (default: cpu)',
  );
}
