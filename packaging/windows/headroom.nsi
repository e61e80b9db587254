; Installs Headroom for one user, without administrator rights. Built by packaging/windows/build.
Target amd64-unicode
Unicode true
; Most of the program is weights, which no method makes smaller: the fast one will do.
SetCompressor /SOLID zlib
ManifestDPIAware true

!include MUI2.nsh
!include FileFunc.nsh

!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Headroom"

Name "Headroom"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\Headroom"
InstallDirRegKey HKCU "Software\Headroom" "Folder"
RequestExecutionLevel user

VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Headroom"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "Headroom installer"
VIAddVersionKey "LegalCopyright" "The Headroom developers, MIT or Apache-2.0"

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_FINISHPAGE_RUN "$INSTDIR\headroom.exe"
!insertmacro MUI_PAGE_LICENSE "${FILES}\LICENSE.txt"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"

Section "Headroom"
  SetOutPath "$INSTDIR"
  ; A running program keeps its file: say so instead of leaving half of a new version.
  ClearErrors
  Delete "$INSTDIR\headroom.exe"
  IfErrors 0 +3
    MessageBox MB_ICONEXCLAMATION "Headroom is running. Close it, then install again." /SD IDOK
    Abort
  File "${FILES}\headroom.exe"
  File "${FILES}\LICENSE.txt"
  File "${FILES}\THIRD-PARTY.txt"
  File "${FILES}\README.txt"
  File "${FILES}\CHANGELOG.txt"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Headroom.lnk" "$INSTDIR\headroom.exe"
  WriteRegStr HKCU "Software\Headroom" "Folder" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Headroom"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\headroom.exe"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "The Headroom developers"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" $0
SectionEnd

Section "Uninstall"
  Delete "$INSTDIR\headroom.exe"
  Delete "$INSTDIR\LICENSE.txt"
  Delete "$INSTDIR\THIRD-PARTY.txt"
  Delete "$INSTDIR\README.txt"
  Delete "$INSTDIR\CHANGELOG.txt"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Headroom.lnk"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "Software\Headroom"
  ; Settings, the list of pictures, what was learned and what was not finished go. Pictures and models stay, and so do
  ; presets, wildcards and machine files where there are any: folders go when they are empty.
  RMDir /r "$LOCALAPPDATA\Headroom\config"
  RMDir /r "$LOCALAPPDATA\Headroom\cache"
  RMDir /r "$LOCALAPPDATA\Headroom\data\latents"
  Delete "$LOCALAPPDATA\Headroom\data\runs.json"
  Delete "$LOCALAPPDATA\Headroom\data\library.*"
  RMDir "$LOCALAPPDATA\Headroom\data\presets"
  RMDir "$LOCALAPPDATA\Headroom\data\wildcards"
  RMDir "$LOCALAPPDATA\Headroom\data\machines"
  RMDir "$LOCALAPPDATA\Headroom\data\models"
  RMDir "$LOCALAPPDATA\Headroom\data"
  RMDir "$LOCALAPPDATA\Headroom"
SectionEnd
