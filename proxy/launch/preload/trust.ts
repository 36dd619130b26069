import tls from "node:tls";

/**
 * Adds the authority where a program names the roots it trusts itself (`ca`), which replaces Node's roots and with them
 * NODE_EXTRA_CA_CERTS. Read when first needed; a certificate that cannot be read adds nothing.
 */
export function trustToo(readAuthority: () => string): void {
  const { createSecureContext } = tls;
  let authority: string | undefined;
  const trusted = (): string => {
    try {
      authority ??= readAuthority();
    } catch {
      authority = "";
    }
    return authority;
  };
  tls.createSecureContext = function createContext(options) {
    const { ca } = options ?? {};
    if (ca === undefined || ca === null || trusted() === "") return createSecureContext(options);
    return createSecureContext({ ...options, ca: [...(Array.isArray(ca) ? ca : [ca]), trusted()] });
  };
}
