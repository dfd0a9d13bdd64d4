/**
 * ONNX Runtime reports its use to its maker unless told not to before it is loaded. A library that works on people's own
 * documents does not do that behind their backs; whoever wants it sets ORT_DISABLE_TELEMETRY=0.
 */
process.env.ORT_DISABLE_TELEMETRY ??= '1';
