export { type KMeansOptions, sphericalKMeans } from './spherical-k-means.js';
