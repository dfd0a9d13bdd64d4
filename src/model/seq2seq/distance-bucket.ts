export interface BucketOptions {
  buckets: number;
  maxDistance: number;
  /** Whether a query sees keys after it, which then have half of the buckets. */
  bothWays: boolean;
}

/**
 * T5's place of a distance (key − query) in its table: near distances have one each, far ones share them on a logarithmic
 * scale, and all from `maxDistance` on share the last (Raffel et al. 2020, §2.1).
 */
export function distanceBucket(distance: number, { buckets, maxDistance, bothWays }: BucketOptions): number {
  const available = bothWays ? buckets >> 1 : buckets;
  const after = bothWays && distance > 0 ? available : 0;
  const far = bothWays ? Math.abs(distance) : Math.max(0, -distance);
  const exact = available >> 1;
  if (far < exact) return after + far;
  // In float32, as PyTorch computes it: at powers of two the float64 result can round to the other side.
  const ratio = Math.fround(Math.fround(Math.log(Math.fround(far / exact))) / Math.log(maxDistance / exact));
  const logarithmic = exact + Math.floor(Math.fround(ratio * (available - exact)));
  return after + Math.min(logarithmic, available - 1);
}
