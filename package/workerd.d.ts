// The npm package `workerd` has no types.
declare module "workerd" {
  /** The path of the executable for this machine. */
  const workerd: { readonly default: string };
  export default workerd;
}
