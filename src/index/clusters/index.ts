export { type Clusters, type KMeansOptions, sphericalKMeans } from './spherical-k-means.js';
