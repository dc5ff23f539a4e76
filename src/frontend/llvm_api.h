/* LLVM's C API, loaded on first use: mapping libLLVM takes longer than most of what is done with a .ptx
 * file, which needs none of it, and Lockstep starts where it is not installed. */
#ifndef LS_FRONTEND_LLVM_API_H
#define LS_FRONTEND_LLVM_API_H

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Linker.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <stdbool.h>

/* clang-format off */
#if defined(__x86_64__)
#define LS_LLVM_HOST(F) F(InitializeX86AsmPrinter) F(InitializeX86Target) F(InitializeX86TargetInfo) F(InitializeX86TargetMC)
#elif defined(__aarch64__)
#define LS_LLVM_HOST(F) F(InitializeAArch64AsmPrinter) F(InitializeAArch64Target) F(InitializeAArch64TargetInfo) F(InitializeAArch64TargetMC)
#else
#define LS_LLVM_HOST(F)
#endif
#define LS_LLVM_FUNCTIONS(F) \
    F(ABISizeOfType) F(ArrayType2) F(BuildAlloca) F(GetAlignment) F(GetAllocatedType) \
    F(GetModuleDataLayout) F(Int8TypeInContext) F(IsAAllocaInst) F(ReplaceAllUsesWith) F(SetAlignment) \
    F(StructTypeInContext) F(AddAttributeAtIndex) F(AddFunction) F(AddNamedMetadataOperand) F(BuildCall2) \
    F(CanValueUseFastMathFlags) F(ConstInt) F(ConstIntGetSExtValue) F(ConstIntGetZExtValue) F(ContextCreate) \
    F(ContextDispose) F(ContextSetDiagnosticHandler) F(CountParams) F(CreateBuilderInContext) \
    F(CreateEnumAttribute) F(CreateMemoryBufferWithContentsOfFile) F(CreatePassBuilderOptions) \
    F(CreateTargetMachine) F(DIFileGetDirectory) F(DIFileGetFilename) F(DIScopeGetFile) \
    F(DISubprogramGetLine) F(DisposeBuilder) F(DisposeErrorMessage) F(DisposeMemoryBuffer) \
    F(DisposeMessage) F(DisposeModule) F(DisposePassBuilderOptions) F(DisposeTargetMachine) \
    F(FunctionType) F(GetBufferSize) F(GetBufferStart) F(GetCalledValue) F(GetConstOpcode) \
    F(GetDiagInfoDescription) F(GetDiagInfoSeverity) F(GetEnumAttributeAtIndex) \
    F(GetEnumAttributeKindForName) F(GetErrorMessage) F(GetFastMathFlags) F(GetFirstBasicBlock) \
    F(GetFirstFunction) F(GetFirstInstruction) F(GetFirstUse) F(GetICmpPredicate) F(GetInlineAsm) \
    F(GetInstructionOpcode) F(GetIntTypeWidth) F(GetLinkage) F(GetMDKindIDInContext) \
    F(GetMDNodeNumOperands) F(GetMDNodeOperands) F(GetMDString) F(GetMetadata) F(GetNSW) F(GetNamedFunction) \
    F(GetNamedMetadataNumOperands) F(GetNamedMetadataOperands) F(GetNextBasicBlock) \
    F(GetNextFunction) F(GetNextInstruction) F(GetNextUse) F(GetNumArgOperands) F(GetNumOperands) \
    F(GetNumSuccessors) F(GetOperand) F(GetParam) F(GetParamParent) F(GetSubprogram) F(GetSuccessor) \
    F(GetTarget) F(GetTargetFromTriple) F(GetTypeKind) F(GetUser) F(GetValueKind) F(GetValueName2) \
    F(GetVolatile) F(GlobalGetValueType) F(InitializeNVPTXAsmPrinter) F(InitializeNVPTXTarget) \
    F(InitializeNVPTXTargetInfo) F(InitializeNVPTXTargetMC) F(InstallFatalErrorHandler) \
    F(InstructionEraseFromParent) F(Int32TypeInContext) F(IsAArgument) F(IsACallInst) \
    F(IsAConstantExpr) F(IsAConstantInt) F(IsAFunction) F(IsAGetElementPtrInst) F(IsAInstruction) F(IsAInvokeInst) F(IsALoadInst) \
    F(IsAStoreInst) F(IsDeclaration) F(MDNodeInContext2) F(MDStringInContext2) F(MetadataAsValue) \
    F(ParseBitcodeInContext2) F(ParseCommandLineOptions) F(PositionBuilderBefore) \
    F(RemoveEnumAttributeAtIndex) F(RunPasses) F(SetLinkage) F(SetOperand) F(SetVisibility) \
    F(SetVolatile) F(TargetMachineEmitToMemoryBuffer) F(TypeOf) F(ValueAsMetadata) \
    F(VoidTypeInContext) F(BuildGEP2) F(GetElementType) F(GetGEPSourceElementType) F(Int64TypeInContext) \
    F(OffsetOfElement) F(StructGetTypeAtIndex) F(DIBuilderCreateDebugLocation) F(DILocationGetColumn) \
    F(DILocationGetInlinedAt) F(DILocationGetLine) F(DILocationGetScope) F(InstructionGetDebugLoc) \
    F(InstructionSetDebugLoc) \
    F(ConstRealGetDouble) F(CountIncoming) \
    F(GetBasicBlockParent) F(GetBasicBlockTerminator) F(GetCondition) F(GetEntryBasicBlock) F(GetIncomingBlock) \
    F(GetIncomingValue) F(GetInstructionParent) F(IsAConstantFP) F(IsConditional) \
    F(BuildFCmp) F(GetFCmpPredicate) F(GetIntrinsicID) F(IsConstant) \
    F(AddCase) F(AppendBasicBlockInContext) F(BuildAShr) F(BuildAdd) F(BuildAnd) F(BuildBitCast) F(BuildBr) \
    F(BuildCondBr) F(BuildExtractElement) F(BuildICmp) F(BuildInsertElement) F(BuildIntToPtr) F(BuildLShr) \
    F(BuildLoad2) F(BuildMul) F(BuildNot) F(BuildOr) F(BuildPtrToInt) F(BuildRet) F(BuildSExt) F(BuildSelect) \
    F(BuildShl) F(BuildShuffleVector) F(BuildStore) F(BuildSub) F(BuildSwitch) F(BuildTrunc) F(BuildXor) \
    F(BuildZExt) F(ConstAllOnes) F(ConstIntToPtr) F(ConstNull) F(ConstVector) F(ConstIntOfArbitraryPrecision) \
    F(CreateMemoryBufferWithMemoryRange) F(CreateStringAttribute) F(DeleteFunction) F(GetDefaultTargetTriple) \
    F(GetHostCPUFeatures) F(GetHostCPUName) F(GetInsertBlock) F(GetIntrinsicDeclaration) F(GetPoison) \
    F(Int16TypeInContext) F(Int1TypeInContext) F(IntTypeInContext) F(LookupIntrinsicID) \
    F(OrcCreateDynamicLibrarySearchGeneratorForProcess) F(OrcCreateLLJIT) F(OrcDisposeLLJIT) \
    F(OrcJITDylibAddGenerator) F(OrcLLJITAddObjectFile) F(OrcLLJITGetGlobalPrefix) F(OrcLLJITGetMainJITDylib) \
    F(OrcLLJITLookup) F(PointerTypeInContext) F(PositionBuilderAtEnd) \
    F(RemoveStringAttributeAtIndex) F(SetModuleDataLayout) F(SetTarget) F(VectorType) F(VerifyFunction) \
    F(CreateTargetDataLayout) F(IsNull) F(DisposeTargetData) F(SetMetadata) F(GetFirstGlobal) F(SetValueName2) \
    F(GetNextGlobal) F(GetNamedGlobal) F(GetInitializer) F(GetAsString) F(IsConstantString) F(DeleteGlobal) \
    F(IsAGlobalVariable) F(WriteBitcodeToMemoryBuffer) F(CreateMemoryBufferWithMemoryRangeCopy) \
    F(CountStructElementTypes) F(GetArrayLength2) F(GetTypeAttributeValue) \
    F(CreateMessage) F(GetBitcodeModuleInContext2) F(LinkModules2) F(ModuleCreateWithNameInContext) \
    F(GetInlineAsmAsmString) F(MetadataReplaceAllUsesWith) F(TemporaryMDNode) \
    LS_LLVM_HOST(F)
/* clang-format on */

typedef struct {
#define LS_LLVM_MEMBER(name) __typeof__(LLVM##name) *name;
    LS_LLVM_FUNCTIONS(LS_LLVM_MEMBER)
#undef LS_LLVM_MEMBER
} ls_llvm;

/* The loaded library; NULL where it is not installed, with the reason in *why. Safe from any thread. */
const ls_llvm *ls_llvm_load(const char **why);

#endif
