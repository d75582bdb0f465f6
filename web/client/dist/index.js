export const version = "0.1.0";
//# sourceMappingURL=index.js.map