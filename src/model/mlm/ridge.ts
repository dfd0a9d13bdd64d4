/** A linear map and what is added: y = W·x + b. */
export interface LinearFit {
  /** [outputs, inputs] */
  weight: Float64Array;
  bias: Float64Array;
}

/**
 * The linear map that comes nearest to pairs of rows, Σ |W·x + b − y|² + λ |W|² (ridge regression), by Cholesky's
 * decomposition of the normal equations.
 *
 * @param shrink λ as a share of the mean square of the inputs
 */
export function ridge(
  x: Float32Array,
  y: Float32Array,
  { inputs, outputs, shrink }: { inputs: number; outputs: number; shrink: number },
): LinearFit {
  const rows = x.length / inputs;
  const [meanX, meanY] = [columnMeans(x, inputs), columnMeans(y, outputs)];
  const gram = new Float64Array(inputs * inputs);
  const cross = new Float64Array(outputs * inputs);
  const [a, c] = [new Float64Array(inputs), new Float64Array(outputs)];
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < inputs; i++) a[i] = x[row * inputs + i] - meanX[i];
    for (let j = 0; j < outputs; j++) c[j] = y[row * outputs + j] - meanY[j];
    for (let i = 0; i < inputs; i++) for (let k = 0; k <= i; k++) gram[i * inputs + k] += a[i] * a[k];
    for (let j = 0; j < outputs; j++) for (let i = 0; i < inputs; i++) cross[j * inputs + i] += c[j] * a[i];
  }
  let trace = 0;
  for (let i = 0; i < inputs; i++) trace += gram[i * inputs + i];
  for (let i = 0; i < inputs; i++) gram[i * inputs + i] += (shrink * trace) / inputs + 1e-12;
  cholesky(gram, inputs);
  for (let j = 0; j < outputs; j++) solve(gram, cross.subarray(j * inputs, (j + 1) * inputs), inputs);
  const bias = meanY.map((mean, j) => {
    let sum = mean;
    for (let i = 0; i < inputs; i++) sum -= cross[j * inputs + i] * meanX[i];
    return sum;
  });
  return { weight: cross, bias };
}

function columnMeans(values: Float32Array, columns: number): Float64Array {
  const means = new Float64Array(columns);
  values.forEach((value, i) => {
    means[i % columns] += value;
  });
  return means.map((sum) => sum / (values.length / columns));
}

/** Replaces the lower half of a symmetric matrix by L with L·Lᵀ = A. */
function cholesky(matrix: Float64Array, size: number): void {
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * size + j];
      for (let k = 0; k < j; k++) sum -= matrix[i * size + k] * matrix[j * size + k];
      matrix[i * size + j] = i === j ? Math.sqrt(sum) : sum / matrix[j * size + j];
    }
  }
}

/** Replaces b by the solution of L·Lᵀ·x = b. */
function solve(lower: Float64Array, b: Float64Array, size: number): void {
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) b[i] -= lower[i * size + k] * b[k];
    b[i] /= lower[i * size + i];
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) b[i] -= lower[k * size + i] * b[k];
    b[i] /= lower[i * size + i];
  }
}
