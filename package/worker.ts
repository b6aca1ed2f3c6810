/** The Worker's configuration in the package. scripts/package.ts writes it. */
export interface WorkerConfiguration {
  readonly compatibilityDate: string;
  readonly bindings: Readonly<Record<string, string>>;
  readonly durableObjects: Readonly<
    Record<string, { className: string; useSQLite: boolean; unsafePreventEviction: boolean }>
  >;
  readonly kvNamespaces: string[];
  readonly r2Buckets: string[];
  /** The names of the rate limiters. */
  readonly ratelimits: string[];
  readonly assets: { readonly run_worker_first: string[]; readonly binding?: string };
}
